package minilm

import (
	"fmt"
	"math"
)

const (
	heads     = 12  // of attention
	maxTokens = 256 // what the model was trained for
	epsilon   = 1e-12
)

// network is a BERT encoder. Its sizes are those of the arrays that it was read from. Rows of tokens stand one
// behind the other in one slice.
type network struct {
	width     int // of a token
	inner     int // of the layer between
	longest   int // in tokens
	words     []float32
	positions []float32 // with the type of a first sentence added
	input     normal
	layers    []layer
}

type layer struct {
	query, key, value, attended linear
	afterAttention              normal
	widen, narrow               linear
	afterNarrow                 normal
}

// linear is y = Wx + b, the rows of W being outputs.
type linear struct {
	in, out      int
	weight, bias []float32
}

// normal brings a token to mean 0 and variance 1, then scales and moves it.
type normal struct{ scale, shift []float32 }

func newNetwork(t tensors, vocabulary int) (network, error) {
	shape := t.shape("embeddings.position_embeddings.weight")
	inner := t.shape("encoder.layer.0.intermediate.dense.bias")
	if len(shape) != 2 || shape[1] <= 0 || shape[1]%heads != 0 || shape[0] < 2 || len(inner) != 1 {
		return network{}, fmt.Errorf("no BERT of %d heads", heads)
	}
	r := reader{tensors: t}
	n := network{width: shape[1], inner: inner[0], longest: min(shape[0], maxTokens)}
	n.words = r.floats("embeddings.word_embeddings.weight", vocabulary*n.width)
	n.positions = r.floats("embeddings.position_embeddings.weight", shape[0]*n.width)
	types := r.floats("embeddings.token_type_embeddings.weight", 2*n.width)
	if r.err != nil {
		return network{}, r.err
	}
	for i := range n.positions {
		n.positions[i] += types[i%n.width]
	}
	n.input = r.normal("embeddings", n.width)
	for i := 0; t.shape(fmt.Sprintf("encoder.layer.%d.output.dense.bias", i)) != nil; i++ {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		n.layers = append(n.layers, layer{
			query:          r.linear(at+"attention.self.query", n.width, n.width),
			key:            r.linear(at+"attention.self.key", n.width, n.width),
			value:          r.linear(at+"attention.self.value", n.width, n.width),
			attended:       r.linear(at+"attention.output.dense", n.width, n.width),
			afterAttention: r.normal(at+"attention.output", n.width),
			widen:          r.linear(at+"intermediate.dense", n.width, n.inner),
			narrow:         r.linear(at+"output.dense", n.inner, n.width),
			afterNarrow:    r.normal(at+"output", n.width),
		})
	}
	return n, r.err
}

// reader reads arrays until one cannot be read.
type reader struct {
	tensors
	err error
}

func (r *reader) floats(name string, want int) []float32 {
	if r.err != nil {
		return nil
	}
	var f []float32
	f, r.err = r.tensors.floats(name, want)
	return f
}

func (r *reader) linear(name string, in, out int) linear {
	return linear{in, out, r.floats(name+".weight", in*out), r.floats(name+".bias", out)}
}

func (r *reader) normal(name string, width int) normal {
	return normal{r.floats(name+".LayerNorm.weight", width), r.floats(name+".LayerNorm.bias", width)}
}

// mean runs the tokens through all layers and averages what comes out.
func (n network) mean(ids []int) []float32 {
	x := make([]float32, len(ids)*n.width)
	for i, id := range ids {
		row := x[i*n.width : (i+1)*n.width]
		copy(row, n.words[id*n.width:(id+1)*n.width])
		add(row, n.positions[i*n.width:(i+1)*n.width])
	}
	n.input.apply(x)
	for _, l := range n.layers {
		l.apply(x, n.width)
	}
	mean := make([]float32, n.width)
	for i := range ids {
		add(mean, x[i*n.width:(i+1)*n.width])
	}
	scale(mean, 1/float32(len(ids)))
	return mean
}

// apply runs tokens through the layer, in place.
func (l layer) apply(x []float32, width int) {
	around := attention(l.query.of(x), l.key.of(x), l.value.of(x), width)
	add(x, l.attended.of(around))
	l.afterAttention.apply(x)
	wide := l.widen.of(x)
	for i, v := range wide {
		wide[i] = gelu(v)
	}
	add(x, l.narrow.of(wide))
	l.afterNarrow.apply(x)
}

// attention mixes the values of all tokens for each, by how well its query meets their keys, each head on its own
// part of the width.
func attention(query, key, value []float32, width int) []float32 {
	tokens, part := len(query)/width, width/heads
	mixed := make([]float32, len(query))
	weights := make([]float32, tokens)
	by := float32(1 / math.Sqrt(float64(part)))
	for h := range heads {
		of := func(x []float32, token int) []float32 { return x[token*width+h*part : token*width+(h+1)*part] }
		for i := range tokens {
			q, m := of(query, i), of(mixed, i)
			for j := range tokens {
				weights[j] = dot(q, of(key, j)) * by
			}
			softmax(weights)
			for j, w := range weights {
				addScaled(m, w, of(value, j))
			}
		}
	}
	return mixed
}

// rows is how many rows of weights meet all tokens before the next do: few enough to stay in the fastest cache.
const rows = 4

// of returns the outputs for all tokens of x.
func (l linear) of(x []float32) []float32 {
	tokens := len(x) / l.in
	y := make([]float32, tokens*l.out)
	for first := 0; first < l.out; first += rows {
		last := min(first+rows, l.out)
		for t := range tokens {
			in, out := x[t*l.in:(t+1)*l.in], y[t*l.out:(t+1)*l.out]
			for j := first; j < last; j++ {
				out[j] = dot(in, l.weight[j*l.in:(j+1)*l.in]) + l.bias[j]
			}
		}
	}
	return y
}

// apply works on all tokens of x, in place.
func (n normal) apply(x []float32) {
	width := len(n.scale)
	for ; len(x) > 0; x = x[width:] {
		row := x[:width]
		var sum, squares float64
		for _, v := range row {
			sum += float64(v)
		}
		mean := sum / float64(width)
		for _, v := range row {
			squares += (float64(v) - mean) * (float64(v) - mean)
		}
		by := 1 / math.Sqrt(squares/float64(width)+epsilon)
		for i, v := range row {
			row[i] = float32((float64(v)-mean)*by)*n.scale[i] + n.shift[i]
		}
	}
}

// softmax makes shares of the numbers, which add up to 1.
func softmax(x []float32) {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	var sum float32
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v - most)))
		sum += x[i]
	}
	scale(x, 1/sum)
}

func gelu(x float32) float32 {
	return float32(0.5 * float64(x) * (1 + math.Erf(float64(x)/math.Sqrt2)))
}
