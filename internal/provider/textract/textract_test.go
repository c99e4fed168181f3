package textract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"merve/internal/base/fault"
	"merve/internal/matter/quote/ocr"
	"merve/internal/matter/quote/pdf"
	"merve/internal/matter/quote/pdf/pdftest"
	"merve/internal/provider/textract"
)

// reader calls a service that answers every call alike.
func reader(t *testing.T, status int, kind, answer string) textract.Reader {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("X-Amz-Target"); got != "Textract.AnalyzeExpense" {
			t.Errorf("called %q", got)
		}
		if body, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(body), `"Bytes":"/9j/`) {
			t.Errorf("sent no JPEG: %.80s, %v", body, err)
		}
		w.Header().Set("X-Amzn-ErrorType", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(service.Close)
	return textract.New(config(service.URL))
}

func config(address string) aws.Config {
	return aws.Config{
		Region: "eu-central-1", BaseEndpoint: aws.String(address), RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	r := reader(t, http.StatusOK, "", `{"ExpenseDocuments":[{"Blocks":[
		{"BlockType":"LINE","Text":"Cable 2","Confidence":99,"Geometry":{"BoundingBox":{"Left":0,"Top":0,"Width":1,"Height":0.5}}},
		{"BlockType":"WORD","Text":"Cable","Confidence":75,"Geometry":{"BoundingBox":{"Left":0.25,"Top":0.5,"Width":0.25,"Height":0.125}}},
		{"BlockType":"WORD","Text":"nowhere","Confidence":75}]}]}`)
	got, err := r.Read(t.Context(), image.NewGray(image.Rect(0, 0, 400, 800)))
	if err != nil {
		t.Fatal(err)
	}
	want := []ocr.Word{{Text: "Cable", Box: image.Rect(100, 400, 200, 500), Confidence: 0.75}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A PDF is sent page by page: a call takes one page, and no more.
func TestReadPDF(t *testing.T) {
	t.Parallel()
	var sent []int
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Document struct{ Bytes []byte } }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		pages, err := api.PageCount(bytes.NewReader(in.Document.Bytes), model.NewDefaultConfiguration())
		if err != nil || pages != 1 || !bytes.HasPrefix(in.Document.Bytes, []byte("%PDF-")) {
			t.Errorf("sent %d pages, %v", pages, err)
			w.Header().Set("X-Amzn-ErrorType", "UnsupportedDocumentException")
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		sent = append(sent, pages)
		fmt.Fprintf(w, `{"ExpenseDocuments":[{"Blocks":[{"BlockType":"WORD","Text":"page%d","Confidence":90,
			"Geometry":{"BoundingBox":{"Left":0.5,"Top":0.5,"Width":0.25,"Height":0.01}}}]}]}`, len(sent))
	}))
	t.Cleanup(service.Close)
	r := textract.PDFReader{Reader: textract.New(config(service.URL)), Split: pdf.Split}
	got, err := r.ReadPDF(t.Context(), pdftest.Document("one", "two", "three"))
	if err != nil || len(got) != 3 || len(sent) != 3 {
		t.Fatalf("%d pages of %d sent, %v", len(got), len(sent), err)
	}
	want := []ocr.Word{{Text: "page3", Box: image.Rect(1165, 1650, 1748, 1683), Confidence: 0.9}}
	if diff := cmp.Diff(want, got[2], cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Error(diff)
	}
	found, err := ocr.Extract(t.Context(), r, pdftest.Document("one"), "application/pdf")
	if err != nil || found.Text != "page4" {
		t.Errorf("extracted %q, %v", found.Text, err)
	}
	if _, err := ocr.Extract(t.Context(), r, pdftest.Document(make([]string, 11)...), "application/pdf"); !fault.Is(err, fault.TooLarge) || len(sent) != 4 {
		t.Errorf("11 pages: %d sent, %v", len(sent), err)
	}
}

func TestReadRefused(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]fault.Kind{
		"DocumentTooLargeException":              fault.TooLarge,
		"BadDocumentException":                   fault.Invalid,
		"UnsupportedDocumentException":           fault.Invalid,
		"ProvisionedThroughputExceededException": fault.Unavailable,
		"AccessDeniedException":                  fault.Unavailable,
	} {
		_, err := reader(t, http.StatusBadRequest, kind, `{}`).Read(t.Context(), image.NewGray(image.Rect(0, 0, 4, 4)))
		if !fault.Is(err, want) {
			t.Errorf("%s is %v, want %s", kind, err, want)
		}
	}
}
