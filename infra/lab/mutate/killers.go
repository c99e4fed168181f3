package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// killer is the test that a mutant is known to die of.
type killer struct{ pkg, test string }

// readTable reads lines of fields parted by tabs. Lines that begin with # are left out;
// a file that does not exist is empty.
func readTable(path string, fields int) ([][]string, error) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Split(line, "\t")
		if len(row) != fields {
			return nil, fmt.Errorf("%s: %q: want %d fields", path, line, fields)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// knowledge is what is known about mutants from earlier runs, and from people.
type knowledge struct {
	dir     string
	killers map[string]killer // by id of the mutant
	same    map[string]string // the reason why a mutant changes nothing
}

func readKnowledge(dir string) (knowledge, error) {
	k := knowledge{dir: dir, killers: map[string]killer{}, same: map[string]string{}}
	rows, err := readTable(filepath.Join(dir, "killers.txt"), 3)
	if err != nil {
		return k, err
	}
	for _, r := range rows {
		k.killers[r[0]] = killer{r[1], r[2]}
	}
	if rows, err = readTable(filepath.Join(dir, "equivalent.txt"), 2); err != nil {
		return k, err
	}
	for _, r := range rows {
		k.same[r[0]] = r[1]
	}
	return k, nil
}

// knows reports whether it is known what a mutant dies of, or why of nothing.
func (k knowledge) knows(m Mutant) bool { return k.killers[m.ID].test != "" || k.same[m.ID] != "" }

// write keeps the killers of the mutants that there are.
func (k knowledge) write(mutants []Mutant) error {
	var lines []string
	for _, m := range mutants {
		if k, ok := k.killers[m.ID]; ok {
			lines = append(lines, m.ID+"\t"+k.pkg+"\t"+k.test+"\n")
		}
	}
	slices.Sort(lines)
	text := "# mutant, and the package and test that it dies of; written by mutate -update\n" + strings.Join(lines, "")
	return os.WriteFile(filepath.Join(k.dir, "killers.txt"), []byte(text), 0o644)
}
