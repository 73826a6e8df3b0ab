"""The staples of a gym: the exercises a coach names first.

Nobody counted how often each of the catalogue's exercises is done, and a search for a muscle finds dozens that fit
equally well. These are the ones that programmes for the general public are made of, chosen by hand, by main muscle.
"""

STAPLES = frozenset({
    # chest
    "Barbell Bench Press - Medium Grip", "Dumbbell Bench Press", "Barbell Incline Bench Press - Medium Grip",
    "Incline Dumbbell Press", "Dumbbell Flyes", "Pushups", "Cable Crossover", "Dips - Chest Version", "Butterfly",
    # back
    "Pullups", "Chin-Up", "Wide-Grip Lat Pulldown", "Bent Over Barbell Row", "One-Arm Dumbbell Row",
    "Seated Cable Rows", "Barbell Deadlift", "Hyperextensions (Back Extensions)", "Inverted Row", "Barbell Shrug",
    "Dumbbell Shrug", "Straight-Arm Pulldown", "T-Bar Row with Handle", "Superman",
    # shoulders
    "Barbell Shoulder Press", "Dumbbell Shoulder Press", "Standing Military Press", "Side Lateral Raise",
    "Front Dumbbell Raise", "Reverse Flyes", "Face Pull", "Arnold Dumbbell Press", "Handstand Push-Ups",
    # arms
    "Barbell Curl", "Dumbbell Bicep Curl", "Hammer Curls", "Preacher Curl", "Concentration Curls", "EZ-Bar Curl",
    "Triceps Pushdown", "Dips - Triceps Version", "Bench Dips", "EZ-Bar Skullcrusher", "Close-Grip Barbell Bench Press",
    "Tricep Dumbbell Kickback", "Palms-Up Barbell Wrist Curl Over A Bench", "Wrist Roller",
    # legs
    "Barbell Squat", "Goblet Squat", "Front Barbell Squat", "Leg Press", "Leg Extensions", "Barbell Lunge",
    "Dumbbell Lunges", "Bodyweight Squat", "Split Squat with Dumbbells", "Dumbbell Step Ups", "Romanian Deadlift",
    "Lying Leg Curls", "Seated Leg Curl", "Good Morning", "Glute Ham Raise", "One-Arm Kettlebell Swings",
    "Barbell Hip Thrust", "Barbell Glute Bridge", "Single Leg Glute Bridge", "Glute Kickback",
    "Standing Calf Raises", "Seated Calf Raise", "Thigh Abductor", "Thigh Adductor", "Bodyweight Walking Lunge",
    # abdominals
    "Plank", "Crunches", "Hanging Leg Raise", "Reverse Crunch", "Russian Twist", "Cable Crunch", "Side Bridge",
    "Air Bike", "Ab Roller",
    # endurance and jumps
    "Running, Treadmill", "Bicycling, Stationary", "Rowing, Stationary", "Rope Jumping", "Star Jump",
    "Box Jump (Multiple Response)", "Freehand Jump Squat",
})  # fmt: skip
"""Their names in the catalogue."""
