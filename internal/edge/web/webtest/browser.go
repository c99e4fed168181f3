package webtest

import "os/exec"

// Chromium is the path of a browser for tests, "" when there is none. The one that can have no
// window costs half of the processor time of the others.
func Chromium() string {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
