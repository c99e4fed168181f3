//go:build race

package minilm_test

const raceDetector = true
