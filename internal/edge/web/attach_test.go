package web_test

import (
	"bytes"
	"context"
	"fmt"
	"image/jpeg"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"merve/internal/edge/web/webtest"
)

// pick chooses a picture of a size, drawn for the purpose, as a photo.
func (p *tab) pick(contentType string, width, height int) {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(async () => {
		const canvas = document.createElement('canvas');
		[canvas.width, canvas.height] = [%d, %d];
		canvas.getContext('2d').fillRect(0, 0, 50, 50);
		const blob = await new Promise((resolve) => canvas.toBlob(resolve, %s));
		const chosen = new DataTransfer();
		chosen.items.add(new File([blob], 'photo', { type: blob.type }));
		const input = document.querySelector('#file');
		input.files = chosen.files;
		input.dispatchEvent(new Event('change'));
	})()`, width, height, quote(contentType)), chromedp.EvalAwaitPromise))
}

func photosGoWithAMessage(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), phone)
	p.hurry()
	p.pick("image/png", 3200, 1200)
	p.wait(`document.querySelector('#photos .done')`)
	p.pick("image/jpeg", 300, 400)
	p.wait(`document.querySelectorAll('#photos .done').length === 2`)
	p.backend.Drop(true)
	p.send("broken")
	p.waitText(".trouble", "No answer from Merve.")
	same(p, "left in the composer", len(p.texts("#photos li")), 0)
	same(p, "shown", eval[[]string](p, `[...document.querySelectorAll('.own .photos img')].map((n) => n.alt + ' ' + n.naturalWidth)`), []string{"Photo 1 160", "Photo 2 120"})
	p.visit() // the message goes again with its photos, as the same message
	p.backend.Drop(false)
	p.waitText(".bubble", "You said: broken")
	p.wait(`!document.querySelector('.trouble, .state')`)
	same(p, "taken", p.backend.Taken(), 1)
	want := []webtest.Attachment{{URL: "photo:0", ContentType: "image/jpeg"}, {URL: "photo:1", ContentType: "image/jpeg"}}
	for _, m := range p.backend.Deliveries() {
		same(p, "attachments", m.Attachments, want)
	}
	uploads := p.backend.Uploads()
	same(p, "uploads", len(uploads), 2)
	for i, want := range [][2]int{{1600, 600}, {300, 400}} {
		size, err := jpeg.DecodeConfig(bytes.NewReader(uploads[i].Body))
		if err != nil || size.Width != want[0] || size.Height != want[1] {
			t.Errorf("photo %d: %dx%d, %v, want %v as JPEG", i, size.Width, size.Height, err, want)
		}
	}
	p.visit()
	p.wait(`[...document.querySelectorAll('.own .photos a img')].filter((n) => n.naturalWidth > 0).length === 2`)

	// A photo alone is a message too; and one that is still on its way up is waited for.
	p.pick("image/webp", 40, 40)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#send').click()`))
	p.wait(`document.querySelectorAll('.own').length === 2 && !document.querySelector('.state')`)
	deliveries := p.backend.Deliveries()
	same(p, "alone", deliveries[len(deliveries)-1].Attachments, []webtest.Attachment{{URL: "photo:2", ContentType: "image/jpeg"}})
}

func photoThatFails(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const chosen = new DataTransfer();
		chosen.items.add(new File(['no picture'], 'x.png', { type: 'image/png' }));
		document.querySelector('#file').files = chosen.files;
		document.querySelector('#file').dispatchEvent(new Event('change'));
	}`))
	p.waitText("#remark", "Photo 1 is not a picture that can be shown.")
	same(p, "attached", len(p.texts("#photos li")), 0)

	disconnect(p, true)
	p.pick("image/png", 20, 20)
	p.waitText("#remark", "Photo 2 could not be uploaded.")
	p.send("look") // does not leave without it
	same(p, "own messages", len(p.texts(".own")), 0)
	disconnect(p, false)
	p.wait(`document.querySelector('#photos .done')`)
	for range 6 {
		p.pick("image/png", 20, 20)
	}
	p.waitText("#remark", "At most 6 photos in one message.")
	p.wait(`document.querySelectorAll('#photos .done').length === 6`)
	p.again("#photos li button:last-child")
	p.wait(`document.querySelectorAll('#photos li').length === 5`)
	p.again("#send")
	p.waitText(".bubble", "You said: look")
	same(p, "sent with it", len(only(t, p.backend.Deliveries()).Attachments), 5)
}

func receivedMedia(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.hurry()
	p.send("hello")
	p.waitText(".bubble", "You said: hello")
	p.backend.Show("outbound", []any{
		map[string]any{"url": "/static/merve.svg", "contentType": "image/svg+xml"}, map[string]any{"url": "javascript:hit=1", "contentType": "image/png"},
		map[string]any{"url": "/none.png", "contentType": "image/png"}, map[string]any{"url": "https://files.example/menu.pdf?x=1", "contentType": "application/pdf"}, nil, "x",
	}, skewed())
	p.wait(`document.querySelector('.photos img')?.naturalWidth > 0 && document.querySelector('.photos .gone')`)
	same(p, "media", eval[[]string](p, `[...document.querySelectorAll('.photos a')].map((a) => a.getAttribute('rel') + ' ' + new URL(a.href).pathname + ' ' + a.textContent)`),
		[]string{"noopener noreferrer nofollow /static/merve.svg ", "noopener noreferrer nofollow /none.png Photo 3", "noopener noreferrer nofollow /menu.pdf menu.pdf"})
}

// allow sets whether the page may know the location.
func (p *tab) allow(setting browser.PermissionSetting) {
	p.Helper()
	shown, err := chromedp.Call(p.ctx, target.GetTargetInfo, target.GetTargetInfoParams{})
	if err != nil {
		p.Fatalf("target: %v", err)
	}
	if _, err := chromedp.Call(p.ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "geolocation"}, Setting: setting,
		Origin: p.url[:len(p.url)-1], BrowserContextID: shown.TargetInfo.BrowserContextID,
	}); err != nil {
		p.Fatalf("permission: %v", err)
	}
}

func locationIsShared(t *testing.T, b context.Context) {
	p := open(t, b, webtest.New(skewed, merve), phone)
	p.allow(browser.PermissionSettingGranted)
	lat, lng, accuracy := 35.341712345, 33.3223, 5.0
	if _, err := chromedp.Call(p.ctx, emulation.SetGeolocationOverride, emulation.SetGeolocationOverrideParams{Latitude: &lat, Longitude: &lng, Accuracy: &accuracy}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Focus(chromedp.ID("text")))
	p.write("taxi from here") // which stays, and is sent when the customer sends it
	p.click("#here")
	p.waitText(".own .here", "My location")
	p.wait(`document.querySelector('.own .chart .pin')`)
	p.wait(`document.querySelector('#remark').textContent === '' && !document.querySelector('.state')`)
	sent := only(t, p.backend.Deliveries())
	same(p, "sent", sent, webtest.Message{SessionID: sent.SessionID, ClientMessageID: sent.ClientMessageID, Language: "en", Location: &webtest.Location{Lat: 35.34171, Lng: 33.3223}})
	p.visit()
	p.waitText(".own .here", "My location")
	same(p, "draft", eval[string](p, `document.querySelector('#text').value`), "taxi from here")
}

// Where somebody is, found after they began a new conversation, is not said in that.
func locationComesLate(t *testing.T, b context.Context) {
	p := open(t, b, webtest.New(skewed, merve), desktop)
	p.do(chromedp.Evaluate[chromedp.Void](`navigator.geolocation.getCurrentPosition = (found) => { window.found = found; }`))
	p.click("#here")
	p.click("#new")
	p.click("#sure .main")
	p.wait(`!document.querySelector('#sure').open`)
	p.do(chromedp.Evaluate[chromedp.Void](`found({ coords: { latitude: 35, longitude: 33 } })`))
	p.wait(`!document.querySelector('#here').disabled && document.querySelector('#remark').textContent === ''`)
	same(p, "own messages", len(p.texts(".own")), 0)
}

func locationDenied(t *testing.T, b context.Context) {
	p := open(t, b, webtest.New(skewed, merve), desktop)
	p.allow(browser.PermissionSettingDenied)
	p.click("#here")
	p.waitText("#remark", "This page may not see where you are.")
	same(p, "messages", len(p.backend.Deliveries()), 0)
	p.send("then by name") // which takes the remark away
	p.wait(`document.querySelector('#remark').textContent === ''`)
}
