"""Models as text, rules, pictures and code: each exporter takes a fitted classifier or a diagram."""
