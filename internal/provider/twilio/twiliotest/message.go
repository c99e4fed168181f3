package twiliotest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Message is a message that the server took.
type Message struct {
	SID            string
	From, To       string // without "whatsapp:"
	Body           string // of a template: as rendered
	ContentSID     string
	Variables      map[string]string
	MediaURLs      []string
	StatusCallback string
	Status         string // queued, then what [Server.Deliver] reports
	ErrorCode      int
	Created        time.Time
	Sent           time.Time // zero while queued
}

var (
	phone   = regexp.MustCompile(`^\+[1-9]\d{6,14}$`)
	user    = regexp.MustCompile(`^[A-Z]{2}\.[A-Za-z0-9.]+$`)
	content = regexp.MustCompile(`^HX[0-9a-fA-F]{32}$`)
	slot    = regexp.MustCompile(`\{\{(\w+)\}\}`)
)

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		refuse(w, http.StatusBadRequest, 20001, "Bad request")
		return
	}
	f := s.sends.Next()
	m, code, message := s.check(r.PostForm)
	if code != 0 {
		refuse(w, http.StatusBadRequest, code, message)
		return
	}
	if f.Taken || f.Status == 0 && !f.Drop && !f.Cut {
		m = s.keep(m)
	}
	if !s.fail(w, r, f) {
		write(w, http.StatusCreated, s.resource(m))
	}
}

// check reads a message as Twilio does. A code that is not 0 says what is wrong.
// https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource
func (s *Server) check(form url.Values) (m Message, code int, message string) {
	from, fromWhatsApp := strings.CutPrefix(form.Get("From"), "whatsapp:")
	to, toWhatsApp := strings.CutPrefix(form.Get("To"), "whatsapp:")
	m = Message{
		From: from, To: to, Body: form.Get("Body"), ContentSID: form.Get("ContentSid"),
		MediaURLs: form["MediaUrl"], StatusCallback: form.Get("StatusCallback"),
	}
	switch {
	case form.Get("To") == "":
		return m, 21604, "A 'To' phone number is required."
	case form.Get("From") == "":
		return m, 21603, "A 'From' phone number is required."
	case fromWhatsApp != toWhatsApp:
		return m, 21910, "Invalid 'From' and 'To' pair. 'From' and 'To' should be of the same channel"
	case !phone.MatchString(to) && !(toWhatsApp && user.MatchString(to)):
		return m, 21211, fmt.Sprintf("The 'To' number %s is not a valid phone number.", form.Get("To"))
	case !fromWhatsApp || from != s.config.From:
		return m, 63007, "Twilio could not find a Channel with the specified From address"
	case from == to:
		return m, 63031, "Message cannot have the same To and From"
	case m.StatusCallback != "" && !absolute(m.StatusCallback):
		return m, 21609, fmt.Sprintf("The 'StatusCallback' URL %s is not a valid URL.", m.StatusCallback)
	}
	if code, message = s.checkContent(form, &m); code != 0 {
		return m, code, message
	}
	return m, 0, ""
}

// checkContent reads text, media or template.
func (s *Server) checkContent(form url.Values, m *Message) (code int, message string) {
	switch {
	case m.ContentSID != "":
		return s.checkTemplate(form, m)
	case form.Get("ContentVariables") != "":
		return 21654, "ContentSid Required"
	case m.Body == "" && len(m.MediaURLs) == 0:
		return 21602, "Message body is required."
	case utf8.RuneCountInString(m.Body) > 1600:
		return 21617, "The concatenated message body exceeds the 1600 character limit."
	case len(m.MediaURLs) > 10:
		return 21623, "Number of media files exceeds allowed limit."
	}
	for _, address := range m.MediaURLs {
		if !absolute(address) {
			return 21620, "Invalid media URL(s)"
		}
	}
	return 0, ""
}

// checkTemplate is stricter than Twilio in one thing: a template beside a text or media,
// which its documentation tells to leave out, is refused.
func (s *Server) checkTemplate(form url.Values, m *Message) (code int, message string) {
	if m.Body != "" || len(m.MediaURLs) > 0 {
		return 20001, "Body and MediaUrl must be left out when ContentSid is given"
	}
	text, known := s.config.Templates[m.ContentSID]
	if !content.MatchString(m.ContentSID) || s.config.Templates != nil && !known {
		return 21655, "The ContentSid is Invalid"
	}
	vars := form.Get("ContentVariables")
	if vars != "" && json.Unmarshal([]byte(vars), &m.Variables) != nil {
		return 21656, "The ContentVariables Parameter is invalid"
	}
	for _, value := range m.Variables {
		if value == "" {
			return 21656, "The ContentVariables Parameter is invalid"
		}
	}
	if s.config.Templates == nil { // any has all its parameters in it, and nothing else
		for _, name := range slices.Sorted(maps.Keys(m.Variables)) {
			text += "{{" + name + "}} "
		}
	}
	for _, name := range slots(text) {
		if m.Variables[name] == "" {
			return 21656, "The ContentVariables Parameter is invalid"
		}
	}
	m.Body = slot.ReplaceAllStringFunc(strings.TrimSpace(text), func(name string) string { return m.Variables[strings.Trim(name, "{}")] })
	return 0, ""
}

func slots(text string) []string {
	var names []string
	for _, match := range slot.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}

func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func (s *Server) keep(m Message) Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := "SM"
	if len(m.MediaURLs) > 0 {
		kind = "MM"
	}
	m.SID, m.Status, m.Created = kind+s.config.NewID(), "queued", s.config.Now().UTC()
	s.messages = append(s.messages, m)
	close(s.taken)
	s.taken = make(chan struct{})
	return m
}

// resource is a message in Twilio's JSON.
func (s *Server) resource(m Message) map[string]any {
	base := "/2010-04-01/Accounts/" + s.config.AccountSID + "/Messages/" + m.SID
	out := map[string]any{
		"account_sid": s.config.AccountSID, "api_version": "2010-04-01", "sid": m.SID,
		"from": "whatsapp:" + m.From, "to": "whatsapp:" + m.To, "direction": "outbound-api",
		"body": m.Body, "status": m.Status, "num_media": strconv.Itoa(len(m.MediaURLs)), "num_segments": "1",
		"date_created": date(m.Created), "date_updated": date(m.Created), "date_sent": nil,
		"error_code": nil, "error_message": nil, "messaging_service_sid": nil, "price": nil, "price_unit": nil,
		"uri":              base + ".json",
		"subresource_uris": map[string]string{"media": base + "/Media.json"},
	}
	if !m.Sent.IsZero() {
		out["date_sent"], out["date_updated"] = date(m.Sent), date(m.Sent)
	}
	if m.ErrorCode != 0 {
		out["error_code"] = m.ErrorCode
	}
	return out
}

func date(t time.Time) string { return t.UTC().Format(time.RFC1123Z) }

func (s *Server) fetch(w http.ResponseWriter, r *http.Request) {
	sid := strings.TrimSuffix(r.PathValue("file"), ".json")
	for _, m := range s.Messages() {
		if m.SID == sid {
			write(w, http.StatusOK, s.resource(m))
			return
		}
	}
	refuse(w, http.StatusNotFound, 20404, "The requested resource "+r.URL.Path+" was not found")
}

// list answers with the messages that fit, newest first, page by page. A message that
// was not sent yet has no date, and so fits no DateSent.
// https://www.twilio.com/docs/messaging/api/message-resource#read-multiple-message-resources
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	if s.fail(w, r, s.lists.Next()) {
		return
	}
	query := r.URL.Query()
	fits, err := filter(query)
	if err != nil {
		refuse(w, http.StatusBadRequest, 20001, "Invalid date value: "+err.Error())
		return
	}
	var found []map[string]any
	for _, m := range slices.Backward(s.Messages()) {
		if fits(m) && s.config.Now().Sub(m.Created) >= s.config.ListLag {
			found = append(found, s.resource(m))
		}
	}
	s.page(w, r, "messages", found)
}

func filter(query url.Values) (func(Message) bool, error) {
	type bound struct {
		at   time.Time
		fits func(sent, at time.Time) bool
	}
	var bounds []bound
	for name, fits := range map[string]func(sent, at time.Time) bool{
		"DateSent":  func(sent, at time.Time) bool { return sent.Format(time.DateOnly) == at.Format(time.DateOnly) },
		"DateSent>": func(sent, at time.Time) bool { return !sent.Before(at) },
		"DateSent<": func(sent, at time.Time) bool { return !sent.After(at) },
	} {
		if value := query.Get(name); value != "" {
			at, err := parseDate(value)
			if err != nil {
				return nil, err
			}
			bounds = append(bounds, bound{at, fits})
		}
	}
	return func(m Message) bool {
		if to := query.Get("To"); to != "" && to != "whatsapp:"+m.To {
			return false
		}
		if from := query.Get("From"); from != "" && from != "whatsapp:"+m.From {
			return false
		}
		for _, b := range bounds {
			if m.Sent.IsZero() || !b.fits(m.Sent, b.at) {
				return false
			}
		}
		return true
	}, nil
}

func parseDate(value string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, value); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a date", value)
}

// page answers with a part of what was found, under the name of the resource.
func (s *Server) page(w http.ResponseWriter, r *http.Request, name string, found []map[string]any) {
	query := r.URL.Query()
	size, number := min(50, s.config.MaxPage), 0
	if n, err := strconv.Atoi(query.Get("PageSize")); err == nil {
		size = min(max(n, 1), s.config.MaxPage)
	}
	if n, err := strconv.Atoi(query.Get("Page")); err == nil {
		number = max(n, 0)
	}
	start := min(number*size, len(found))
	end := min(start+size, len(found))
	part := append(make([]map[string]any, 0, size), found[start:end]...)
	address := func(page int) string {
		q := r.URL.Query()
		q.Set("PageSize", strconv.Itoa(size))
		q.Set("Page", strconv.Itoa(page))
		return r.URL.Path + "?" + q.Encode()
	}
	out := map[string]any{
		name: part, "page": number, "page_size": size, "start": start, "end": max(end-1, 0),
		"uri": address(number), "first_page_uri": address(0), "next_page_uri": nil, "previous_page_uri": nil,
	}
	if end < len(found) {
		out["next_page_uri"] = address(number + 1)
	}
	if number > 0 {
		out["previous_page_uri"] = address(number - 1)
	}
	write(w, http.StatusOK, out)
}
