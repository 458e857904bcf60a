CASE
  WHEN "width" >= 4.0 OR "width" IS NULL THEN CASE
    WHEN "length" >= 5.95 OR "length" IS NULL THEN 'out'
    ELSE 'in'
  END
  ELSE CASE
    WHEN "length" >= 6.05 THEN 'in'
    ELSE 'out'
  END
END
