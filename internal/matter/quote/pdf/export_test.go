package pdf

// SplitWithin is Split with a time of its own.
var SplitWithin = splitWithin
