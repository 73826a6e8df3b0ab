"""What is measured, one question a file: each has `measure`, which returns figures as JSON."""
