"""A small world of solutions whose skills are known, and a scripted model that does what it is asked in it."""

import json
import random
import re

from benchwright.chat.scripted import ScriptedChat, ScriptedReply
from benchwright.skills.steps import SkillStep

FAMILIES = {
    "Date and Time Work": ["Parsing Dates from Text", "Resampling Time Series", "Shifting Time Zones"],
    "Table Joining Work": ["Merging Tables by Key", "Concatenating Table Rows", "Joining on Nearest Value"],
    "Missing Value Work": ["Filling Missing Values", "Dropping Incomplete Rows", "Interpolating Gaps"],
    "Chart Drawing Work": ["Drawing Bar Charts", "Adjusting Axis Labels", "Saving Figures to Files"],
    "Model Fitting Work": ["Training Decision Trees", "Scaling Features for Models", "Scoring by Cross Validation"],
}
SKILLS = [skill for skills in FAMILIES.values() for skill in skills]
ABOVE = {skill: family for family, skills in FAMILIES.items() for skill in skills}
CATEGORIES = ("Data Preprocessing", "Data Analysis", "Cross-Stage")
_ITEM = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_TOKEN = re.compile(r'\{"case": "(\w+)"')


def steps_of(solutions=60, seed=0):
    draw = random.Random(seed)
    found = []
    for number in range(solutions):
        used = draw.sample(SKILLS, draw.randint(2, 5))
        found += [
            SkillStep(solution_id=f"{number}-{number}", index=place, skill=skill, description=f"on column c{number}")
            for place, skill in enumerate(used)
        ]
    return found


def sorting(messages):
    """Sorts items by the skill that they name; skills by their family; describes what it is asked to."""
    asked = messages[1].text
    token = _TOKEN.search(asked)[1]
    if "Describe this skill" in asked:
        said = {"case": token, "category": "Data Analysis", "description": "What somebody does who has this skill."}
        return ScriptedReply(text=json.dumps(said))
    groups = {}
    for number, text in _ITEM.findall(asked.split("ITEMS")[-1]):
        skill = next((skill for skill in SKILLS if skill in text), "Odd Work")
        higher = "For instance:" in text
        groups.setdefault(ABOVE.get(skill, "Odd Work") if higher else skill, []).append(int(number))
    parents = [{"name": name, "description": f"{name}.", "members": members} for name, members in groups.items()]
    return ScriptedReply(text=json.dumps({"case": token, "skills": parents}))


def model(script=sorting):
    return ScriptedChat(script, "scripted/sorting")
