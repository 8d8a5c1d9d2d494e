"""A game in GIB, NGF and UGF, and a review that a UGF may end with."""
import textwrap

GIB = textwrap.dedent(r"""
    \HS
    \[GIBOKIND=Korea\]
    \[GAMECONDITION=even\]
    \[GAMERESULT=\]
    \[GAMENAME=ranking game\]
    \[GAMEDATE=2015- 8-29-22-56-58\]
    \[GAMEPLACE=Tygem Baduk\]
    \[GAMEWHITENAME=white name (1K)\]
    \[GAMEBLACKNAME=흑 (7D)\]
    \[GAMEINFOMAIN=GBKIND:0,GTYPE:0,GCDT:0,GTIME:1200-30-3,GRLT:1,ZIPSU:35,DUM:0,GONGJE:65,TCNT:4,AUSZ:0\]
    \HE
    \GS
    2 5 0
    5 0 &4
    INI 0 1 0 &4
    STO 0 2 1 16 2
    STO 0 3 2 3 15
    SKI 0 4 1
    STO 0 5 2 0 18
    \GE
    """).lstrip()

NGF = textwrap.dedent("""
    Rated game
    19
    white one   7D*
    CYY         9DP
    www.cyberoro.com
    0
    0
    6
    20170316 [09:37]
    5
    Black wins by 0.5!
    3
    PMABBREER
    PMACWEEEE
    PMADBTTTT
    """).lstrip()

UGF = textwrap.dedent("""
    [Header]
    Ver=UGF3,200
    Lang=SJIS
    Title=2019,PANDA-NET,
    Place=IGS
    Date=2019/03/08,22:09:00,2019/03/09,07:16:59
    Rule=JPN
    Size=19
    Hdcp=0,6.50
    Ptime=J;240;0;0,J;240;0;0,0,0
    Winner=W,C
    CoordinateType=IGS
    Copyright=PANDANET INC.
    PlayerB=本因坊,7d,,someone@example.com
    PlayerW=yin,8d,,
    [Data]
    QP,B1,1,0
    DP,W1,2,13
    YA,B1,3,0
    [Figure]
    .Text,2
    A good move.
    (really]
    .EndText
    """).lstrip()

REVIEW = """[ReviewNode]
NODE,1,0,0,0
NODE,2,1,17,16
  VARIATION,
    NODE,5,2,3,3
    NODE,6,1,4,4
      VARIATION,
        NODE,7,2,5,5
      VARIATIONEND,
    NODE,8,2,6,6
  VARIATIONEND,
  VARIATION,
    NODE,9,2,7,7
  VARIATIONEND,
NODE,3,2,4,16
NODE,4,1,20,20
  VARIATION,
    NODE,10,2,8,8
  VARIATIONEND,
NODE,11,0,0,0
[ReviewComment]
.Comment,1
 hello
 there
.Comment,8
a slack move
.Comment,11
the end
"""
