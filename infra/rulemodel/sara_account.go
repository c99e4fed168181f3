package rulemodel

import "fmt"

// account does what customers may do with their identity and their data.
func (d *desk) account() reply {
	tool, values := "", map[string]any(nil)
	switch d.s.aim {
	case aimCode:
		tool = "create_link_code"
	case aimJoin:
		tool, values = "link_chats", map[string]any{"code": d.s.code}
	case aimPart:
		tool = "unlink_chats"
	default:
		tool = "delete_my_data"
	}
	if r, done := d.last(tool); done {
		return say(d.accounted(r))
	}
	return d.must(tool, values)
}

func (d *desk) accounted(r result) string {
	v := d.v
	switch {
	case r.failed != nil:
		return d.wrong(r)
	case r.tool == "create_link_code":
		return fmt.Sprintf(v["code"], clean(r.code, 40), inFigures(r.until))
	case r.tool == "unlink_chats":
		return v["unlinked"]
	}
	return v["check"] // the rest is asked and told by the backend
}
