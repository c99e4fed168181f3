package request

// What a broker does, by subject.
type (
	// offers are questions of requests that wait for the client's YES or NO, and what comes of the answer.
	offers struct{ b *Broker }

	// moves take requests from state to state, where no YES is needed for that.
	moves struct{ b *Broker }

	// searches look outside of the catalogue.
	searches struct{ b *Broker }

	// letters are what is written to clients and vendors.
	letters struct{ b *Broker }

	// replies are what vendors answer, in words and in pictures.
	replies struct{ b *Broker }

	// consents ask clients whether they may be called, and take the answer back.
	consents struct{ b *Broker }

	// models are the tools as models have them.
	models struct{ b *Broker }
)

func (b *Broker) offers() offers { return offers{b} }

func (b *Broker) moves() moves { return moves{b} }

func (b *Broker) searches() searches { return searches{b} }

func (b *Broker) letters() letters { return letters{b} }

func (b *Broker) replies() replies { return replies{b} }

func (b *Broker) consents() consents { return consents{b} }

func (b *Broker) models() models { return models{b} }
