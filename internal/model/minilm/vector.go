package minilm

func addScaled(x []float32, by float32, y []float32) {
	for i, v := range y[:len(x)] {
		x[i] += by * v
	}
}

func add(x, y []float32) {
	for i, v := range y[:len(x)] {
		x[i] += v
	}
}

func scale(x []float32, by float32) {
	for i := range x {
		x[i] *= by
	}
}
