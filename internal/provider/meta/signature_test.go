package meta_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"merve/internal/base/fault"
	"merve/internal/provider/meta"
	"merve/internal/provider/meta/metatest"
)

// The vector is that of GitHub, whose scheme is the same.
// https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
func TestVerifyVector(t *testing.T) {
	t.Parallel()
	err := meta.Verify("It's a Secret to Everybody", []byte("Hello, World!"), "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")
	if err != nil {
		t.Error(err)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	s := metatest.New(t, metatest.Config{})
	body := s.Batch(s.Message("1", "m_1", "Çatı akıyor 👋 a/b"))
	signature := s.Sign(body)
	if err := meta.Verify(metatest.AppSecret, body, signature); err != nil {
		t.Fatal(err)
	}
	var read any
	if err := json.Unmarshal(body, &read); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(read)
	if err != nil || bytes.Equal(again, body) {
		t.Fatalf("%v: the body is written as Go writes it", err)
	}
	for name, tt := range map[string]struct {
		secret    string
		body      []byte
		signature string
	}{
		"none":                     {metatest.AppSecret, body, ""},
		"scheme only":              {metatest.AppSecret, body, "sha256="},
		"without its scheme":       {metatest.AppSecret, body, strings.TrimPrefix(signature, "sha256=")},
		"the scheme's older form":  {metatest.AppSecret, body, "sha1=" + strings.TrimPrefix(signature, "sha256=")},
		"a digit less":             {metatest.AppSecret, body, signature[:len(signature)-1]},
		"a digit more":             {metatest.AppSecret, body, signature + "0"},
		"in capitals":              {metatest.AppSecret, body, "sha256=" + strings.ToUpper(signature[7:])},
		"of another secret":        {"another-secret-not-real", body, signature},
		"of a body with a space":   {metatest.AppSecret, append(bytes.Clone(body), ' '), signature},
		"of the body, read again":  {metatest.AppSecret, again, signature},
		"of the body, not escaped": {metatest.AppSecret, bytes.ReplaceAll(body, []byte(`\/`), []byte("/")), signature},
		"of nothing":               {metatest.AppSecret, nil, signature},
	} {
		if err := meta.Verify(tt.secret, tt.body, tt.signature); !errors.Is(err, meta.ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := meta.Verify("", body, s.Sign(body)); !errors.Is(err, meta.ErrNoSecret) {
		t.Errorf("without a secret: %v", err)
	}
	if err := meta.Verify(metatest.AppSecret, make([]byte, meta.MaxWebhook+1), ""); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too large: %v", err)
	}
}

func TestChallenge(t *testing.T) {
	t.Parallel()
	const ours = "verify-token-not-real"
	if got, err := meta.Challenge(ours, "subscribe", ours, "1158201444"); err != nil || got != "1158201444" {
		t.Errorf("%q, %v", got, err)
	}
	for name, tt := range map[string]struct {
		configured, mode, token, challenge string
		want                               fault.Kind
	}{
		"another token":    {ours, "subscribe", "x", "1", fault.Forbidden},
		"no token":         {ours, "subscribe", "", "1", fault.Forbidden},
		"none configured":  {"", "subscribe", "", "1", fault.Forbidden},
		"another mode":     {ours, "unsubscribe", ours, "1", fault.Forbidden},
		"no challenge":     {ours, "subscribe", ours, "", fault.Invalid},
		"a long challenge": {ours, "subscribe", ours, strings.Repeat("1", 1025), fault.Invalid},
	} {
		if got, err := meta.Challenge(tt.configured, tt.mode, tt.token, tt.challenge); !fault.Is(err, tt.want) || got != "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// The signature that came is compared in constant time, and in no other way.
func TestSignatureIsComparedInConstantTime(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "signature.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	uses, compared := 0, 0
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Name.Name == "Verify"
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "ConstantTimeCompare" {
				compared++
			}
		case *ast.Ident:
			if n.Name == "signature" && n.Obj != nil {
				uses++
			}
		}
		return true
	})
	if uses != 2 || compared != 1 { // the parameter, and the comparison
		t.Errorf("signature is used %d times, and compared in constant time %d times", uses, compared)
	}
}
