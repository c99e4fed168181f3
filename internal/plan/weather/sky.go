package weather

// skies are the WMO codes (table 4677) that forecasts use. https://open-meteo.com/en/docs
var skies = map[int]string{
	0: "clear sky", 1: "mainly clear sky", 2: "partly cloudy sky", 3: "overcast sky",
	45: "fog", 48: "freezing fog",
	51: "light drizzle", 53: "drizzle", 55: "dense drizzle", 56: "light freezing drizzle", 57: "freezing drizzle",
	61: "light rain", 63: "rain", 65: "heavy rain", 66: "light freezing rain", 67: "heavy freezing rain",
	71: "light snowfall", 73: "snowfall", 75: "heavy snowfall", 77: "snow grains",
	80: "light rain showers", 81: "rain showers", 82: "violent rain showers", 85: "light snow showers", 86: "heavy snow showers",
	95: "thunderstorm", 96: "thunderstorm with light hail", 99: "thunderstorm with heavy hail",
}

// Sky words a WMO weather code, "" for one that no forecast uses.
func Sky(code int) string { return skies[code] }

func skyOf(code *int) string {
	if code == nil {
		return ""
	}
	return Sky(*code)
}
