"""What commands print: tables, titles of activities, pagers, and what a terminal can show."""
