"""A small table of mixed columns, and the plain way to encode it."""

import numpy as np
import pandas as pd


def people(n=120, seed=0):
    """Return a frame of numbers, text, categories and booleans, and labels that depend on all of them."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 80, n),
            "colour": random.choice(["red", "green", "blue"], n),
            "sex": random.choice(["f", "m"], n),
            "smoker": random.random(n) < 0.4,
            "grade": pd.Categorical(random.integers(1, 5, n)),
        }
    )
    chosen = ((frame.colour == "red") & (frame.age > 40)) | (frame.smoker & (frame.sex == "m"))
    return frame, np.where(chosen | (frame.grade == 4), "yes", "no")


def slowly_encoded(frame):
    """Return the features of ``people`` row by row, each as the documentation says."""
    rows = []
    for _, row in frame.iterrows():
        colours = [float(row.colour == colour) for colour in ("blue", "green", "red")]
        grades = [float(row.grade == grade) for grade in (1, 2, 3, 4)]
        rows.append([float(row.age), *colours, float(row.sex == "m"), float(row.smoker), *grades])
    return np.array(rows)


FEATURES = [
    "age",
    "colour = blue",
    "colour = green",
    "colour = red",
    "sex = m",
    "smoker",
    "grade = 1",
    "grade = 2",
    "grade = 3",
    "grade = 4",
]
