"""Game-info properties as servers write them: komi, result, date, rank."""
import math

import pytest
from sgf_games import read

from mugo.sgf.properties import rank_in, rank_number


@pytest.mark.parametrize("properties, komi", [
    ("KM[6.5]", 6.5), ("KM[ 0.50 ]", 0.5), ("KM[-20]", -20), ("KM[0]", 0), ("KM[6,5]", 6.5), ("KM[6½]", 6.5),
    ("", None), ("KM[]", None), ("KM[nan]", None), ("KM[1e3]", None), ("KM[auto]", None), ("KM[99999999]", None),
    ("KM[375]", 7.5), ("KM[750]", 7.5), ("KM[325]", 6.5), ("KM[650]", 6.5), ("KM[275]", 5.5),
    ("KM[550]", 5.5), ("KM[3.75]", 7.5), ("KM[450]", 4.5),
    ("KM[.5]", 0.5), ("KM[-.5]", -0.5), ("KM[+6.5]", 6.5), ("KM[6 1/2]", 6.5), ("KM[6.5 points]", 6.5),
    ("KM[6半]", 6.5), ("KM[6目半]", 6.5), ("KM[6집반]", 6.5), ("KM[半目]", 0.5),
    ("KM[3 3/4子]", 7.5), ("KM[3又3/4子]", 7.5), ("KM[3.75子]", 7.5), ("KM[3¾]", 7.5), ("KM[2 3/4]", 5.5),
    ("KM[６目半]", 6.5), ("KM[六目半]", 6.5), ("KM[三又四分之三子]", 7.5), ("KM[黑贴3又3/4子]", 7.5),
    ("KM[덤 6집반]", 6.5), ("KM[コミ6目半]", 6.5), ("KM[倒贴5.5目]", None),
    ("KM[7.25]", None), ("KM[200]", None), ("KM[300]", None), ("KM[6.5.1]", None), ("KM[1/3]", None),
    ("KM[100]", 100), ("KM[-350]", -3.5),
    ("KM[6.5000000]", 6.5), ("KM[6.50000000000000000000]", 6.5), ("KM[,5]", None),
    ("KM[0]HA[0]AP[GNU Go:3.8]AP[foxwq]", None), ("KM[0]HA[0]TC[3]TT[30]", None),      # Fox server: unknown
    ("KM[0]HA[3]AB[dd][dp][pd]TC[3]TT[30]", 0), ("KM[0]HA[0]", 0),
    ("KM[3.75]AP[MuGo:0.1.0]", 3.75), ("KM[5.25]AP[MuGo:web]", 5.25), ("KM[150]AP[MuGo:0.1.0]", 150),
    ("KM[1000000]AP[MuGo:0.1.0]", None),
])
def test_komi(properties, komi):
    assert read(f"(;{properties})").komi == komi


@pytest.mark.parametrize("sgf, handicap", [
    ("(;SZ[9]AB[cc][gg];W[ee])", 2), ("(;SZ[9]AB[cc];W[ee])", 0), ("(;SZ[9]AB[cc][gg];B[ee])", 0),
    ("(;SZ[9]AB[cc][gg]AW[gc];W[ee])", 0), ("(;SZ[9]HA[1];W[ee])", 0), ("(;SZ[9]HA[0]AB[cc][gg];W[ee])", 2),
    ("(;SZ[9]HA[3];B[cc];B[gg];B[gc];W[ee])", 3), ("(;SZ[9]HA[2];B[cc])", 2), ("(;SZ[9]HA[2])", 2),
    ("(;SZ[9]HA[2];B[aa];W[tt];B[gg];W[ee])", 2), ("(;SZ[9]HA[3];B[cc];W[];B[gg];W[];B[gc];W[ee])", 3),
])
def test_handicaps(sgf, handicap):
    assert read(sgf).handicap == handicap


@pytest.mark.parametrize("text, rank, beyond", [
    ("40k", -39, "41k"), ("1k", 0, "0k"), ("9d", 9, "10d"), ("9p", 18, "10p"),
])
def test_the_lowest_and_highest_ranks(text, rank, beyond):
    assert rank_number(text) == rank
    assert math.isnan(rank_number(beyond))


@pytest.mark.parametrize("text, result, winner", [
    ("B+3.5", "B+3.5", 1), ("W+0.50", "W+0.5", -1), ("B+12", "B+12", 1), ("b + 3.5 points", "B+3.5", 1),
    ("W+Resign", "W+R", -1), ("B+R", "B+R", 1), ("W+Time", "W+T", -1), ("B+T", "B+T", 1),
    ("W+Forfeit", "W+F", -1), ("B+Offline", "B+F", 1), ("B+", "B+", 1), ("W", "W+", -1),
    ("B+1/2", "B+0.5", 1), ("B+0.0", "B+", 1), ("W+0.02", "W+", -1), ("W+8194.00", "W+", -1),
    ("B+1.25", "B+2.5", 1), ("B+2 (moves beyond 200 not known)", "B+2", 1),
    ("White wins by resignation", "W+R", -1), ("0", "0", 0), ("Draw", "0", 0), ("jigo", "0", 0),
    ("和棋", "0", 0), ("?", "", 0), ("", "", 0), ("Void", "", 0), ("? (No further moves known)", "", 0),
    ("Both lost", "", 0), ("黑中盘胜", "B+R", 1), ("白胜1.25子", "W+2.5", -1), ("黑胜3又3/4子", "B+7.5", 1),
    ("白胜3/4子", "W+1.5", -1), ("白超时胜", "W+T", -1), ("黒3目半勝ち", "B+3.5", 1),
    ("白中押し勝ち", "W+R", -1), ("흑불계승", "B+R", 1), ("백 2.5집승", "W+2.5", -1),
    ("白半目勝", "W+0.5", -1), ("白超时", "", 0),
    ("白超时，黑胜", "", 0), ("흑 백홍석 불계승", "", 0), ("黑胜一目半", "B+1.5", 1), ("黑胜一又1/4子", "B+2.5", 1),
    ("黑胜１目半", "B+1.5", 1), ("Ｂ＋３．５", "B+3.5", 1), ("黑胜四分之一子", "B+0.5", 1), ("白胜十二目", "W+12", -1),
    ("黑方认输", "W+R", -1), ("白認輸", "B+R", 1), ("Black resigned", "W+R", -1), ("White loses on time", "B+T", 1),
    ("黑负", "W+", -1), ("흑 2집반패", "W+2.5", -1), ("白の時間切れ負け", "B+T", 1), ("先番中押勝", "B+R", 1),
    ("和", "0", 0), ("B+M", "", 0), ("W+Cancellation", "", 0), ("B+Moderator", "", 0),
    ("W+.5", "W+0.5", -1), ("W+3½", "W+3.5", -1), ("B+3 1/2", "B+3.5", 1), ("W+3,5", "W+3.5", -1),
    ("W+3.5 (time)", "W+3.5", -1), ("W+Time (3.5)", "W+T", -1), ("W+0.0 (time)", "W+T", -1), ("W+ (time)", "W+T", -1),
    ("White wins by 3.5 points", "W+3.5", -1), ("White wins by 3 points and a half", "W+3", -1),
    ("Black wins after 200 moves by resignation", "B+R", 1), ("B+ (moves beyond 200 not known)", "B+", 1),
    ("白9段中盘胜", "W+R", -1), ("黑胜3.5", "B+3.5", 1), ("흑 3집반승", "B+3.5", 1), ("黑胜12.25子", "B+24.5", 1),
    ("黑胜,1又3/4子", "B+3.5", 1), ("白胜,2目半", "W+2.5", -1), ("白胜.3子半", "W+7", -1), ("黑胜,3.75子", "B+7.5", 1),
    ("黑胜 , 3.5", "B+3.5", 1), ("黑胜，3.5", "B+3.5", 1), ("B+,3.5", "B+3.5", 1), ("白,2目半胜", "W+2.5", -1),
    ("白.3子半胜", "W+7", -1), ("White wins by .5", "W+0.5", -1), ("白 .5目胜", "W+0.5", -1), ("B+6.5.1", "B+", 1),
])
def test_results(text, result, winner):
    record = read(f"(;RE[{text}])")
    assert (record.result, record.winner) == (result, winner)


@pytest.mark.parametrize("comment, moves", [
    ("startTurnIdx=2,initTurnNum=2,gameHash=1F", 2), ("startTurnIdx=0", 0), ("startTurnIdx=3\nBlack: GNU Go", 3),
    ("startTurnIdx=9", 3), ("startTurnIdx=two", 0), ("restartTurnIdx=2", 0), ("", 0),     # no more than there are
])
def test_opening_moves(comment, moves):
    assert read(f"(;SZ[9]C[{comment}];B[aa];W[bb];B[cc])").opening_moves == moves


def test_only_the_comment_of_the_root_names_an_opening():
    assert read("(;SZ[9];B[aa]C[startTurnIdx=1];W[bb])").opening_moves == 0


@pytest.mark.parametrize("text, date", [
    ("2016-03-09", "2016-03-09"), ("2003-12-31,2004-01-01", "2003-12-31"), ("2016-03-09,10", "2016-03-09"),
    ("1996-05", "1996-05"), ("1996", "1996"), ("1988/4/5", "1988-04-05"), ("1988.04.05", "1988-04-05"),
    ("2017年5月27日", "2017-05-27"), ("20170316", "2017-03-16"), ("20170316 09:51", "2017-03-16"), ("20171316", ""),
    ("0800 approx.", "0800"), ("2011-13-40", "2011"), ("2016-02-30", "2016-02"), ("２０１６年３月９日", "2016-03-09"),
    ("13/5/95", ""), ("", ""), ("0000-00-00", ""),
])
def test_dates(text, date):
    assert read(f"(;DT[{text}])").date == date


@pytest.mark.parametrize("text, number", [
    ("1d", 1), ("9d", 9), ("6d?", 6), ("9 dan", 9), ("9段", 9), ("初段", 1), ("九段", 9),
    ("9단", 9), ("7D*", 7), ("1k", 0), ("2k", -1), ("15级", -14), ("18 kyu", -17), ("10급", -9),
    ("1p", 10), ("9p", 18), ("P6段", 15), ("P9段", 18), ("9 dan pro", 18), ("Pro 1 dan", 10),
    ("초단", 1), ("２段", 2), ("業余5段", 5), ("業餘六段", 6), ("アマ六段", 6), ("아마5단", 5),
    ("amateur 6 dan", 6), ("プロ初段", 10), ("프로초단", 10), ("(9p)", 18), ("9dp", 18), ("十段", None), ("院生", None),
    ("职业九段", 18), ("", None), ("-", None), ("?", None), ("NR", None), ("12d", None), ("0d", None),
    ("d", None), ("strong", None),
])
def test_rank_numbers(text, number):
    assert math.isnan(rank_number(text)) if number is None else rank_number(text) == number


@pytest.mark.parametrize("text, file, rank", [
    ("9d", "GoGoD-2023.zip/1996/1.sgf", 18), ("1d", "games/gogod/a.sgf", 10), ("3k", "GoGoD.zip/1.sgf", -2),
    ("9d", "non-professional/1.sgf", 9),
    ("9p", "GoGoD.zip/1.sgf", 18), ("9d", "kgs.zip/1.sgf", 9)])
def test_gogod_writes_a_professional_as_9d(text, file, rank):
    assert rank_in(text, file) == rank
