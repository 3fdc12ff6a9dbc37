import pytest

from benchwright.reading import canonical_key
from benchwright.reading.paths import take_apart

SPELLINGS = [
    "marketing_data/source/ifood_df.csv",
    "marketing-data/source/ifood_df.csv",
    "Marketing--Data/source/ifood_df.csv",
    "./marketing_data/source/ifood_df.csv",
    "/kaggle/input/marketing-data/ifood_df.csv",
    "../input/marketing-data/ifood_df.csv",
    "/x/communities/community_3/full_community/marketing-data/source/ifood_df.csv",
    "/Kaggle/a/notebooks/n/private_dataset/marketing_data/ifood_df.csv",
    "/public/home/me/Kaggle/datasets/marketing_data/source/ifood_df.csv",
    "marketing-data/ifood_df.csv",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_of_a_file_has_one_key(spelling):
    assert canonical_key(spelling) == ("marketing-data", "ifood_df.csv")


def test_files_of_one_name_in_two_datasets_have_two_keys():
    assert canonical_key("a/source/train.csv") != canonical_key("b/source/train.csv")


def test_underscores_of_a_file_name_are_kept():
    assert canonical_key("a/source/x_y.csv") != canonical_key("a/source/x-y.csv")


def test_folders_below_the_dataset_are_kept():
    assert canonical_key("a/source/Cleaned Subtitles/E1.csv") == ("a", "cleaned subtitles/e1.csv")


def test_a_bare_name_has_no_dataset():
    assert take_apart("sales.csv").dataset == ""
    assert canonical_key("../sales.csv") == ("", "sales.csv")
