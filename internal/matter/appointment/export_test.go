package appointment

// CallState is callState.
var CallState = callState
