package assistant

import (
	"merve/internal/tenant/channel"
)

// Sara takes damage reports.
func Sara() Assistant {
	return Assistant{
		Name:  "sara",
		Types: []channel.ThreadType{channel.General},
		Tools: []string{
			"start_damage_report", "update_damage_report_section", "get_report_details", "list_user_reports",
			"update_report_address", "update_report_photos", "delete_report", "mark_report_resolved",
			"create_time_limited_report_link",
			"create_link_code", "link_chats", "unlink_chats", "delete_my_data",
			"askForPerson",
		},
		Digest: true,
		Photos: true,
	}
}
