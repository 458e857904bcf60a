CASE
  CASE
    CASE
      CASE
        WHEN "since" >= '2014-08-08' OR "since" IS NULL THEN 1
        ELSE 2
      END
      WHEN 1 THEN CASE
        WHEN "income" >= 32.0 THEN 3
        ELSE 4
      END
      WHEN 2 THEN CASE
        WHEN "purpose" = 'home & garden' THEN 9
        ELSE 4
      END
    END
    WHEN 3 THEN CASE
      WHEN "purpose" = 'car' THEN 7
      ELSE 5
    END
    WHEN 4 THEN CASE
      WHEN "debt" >= -33.0 OR "debt" IS NULL THEN 6
      ELSE 5
    END
    WHEN 9 THEN 9
  END
  WHEN 5 THEN CASE
    WHEN "income" >= 35.0 OR "income" IS NULL THEN 'yes'
    ELSE 'no'
  END
  WHEN 6 THEN CASE
    WHEN "income" >= 22.5 OR "income" IS NULL THEN 'yes'
    ELSE 'no'
  END
  WHEN 7 THEN CASE
    WHEN "since" >= '2016-10-26' OR "since" IS NULL THEN 'no'
    ELSE 'yes'
  END
  WHEN 9 THEN 'yes'
END
