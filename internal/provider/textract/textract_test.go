package textract_test

import (
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"

	"merve/internal/fault"
	"merve/internal/ocr"
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
	return textract.New(aws.Config{
		Region: "eu-central-1", BaseEndpoint: aws.String(service.URL), RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
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
