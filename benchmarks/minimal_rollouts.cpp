// Uniformly random rollouts in a minimal C++ program, the yardstick of benchmarks/rollouts.py.
//
//     g++ -O3 -march=native -shared -fPIC -o minimal_rollouts.so minimal_rollouts.cpp
//
// The usual design of light playouts: pseudo-liberties with their sum and sum of squares (a chain is in atari where
// count * squares == sum * sum), neighbours counted by colour in one integer, chains as rings with the smaller one
// relabelled, a random choice from the list of empty points, no own eyes filled.  No search, no superko, no history.

#include <cstdint>
#include <initializer_list>

namespace {

enum { EMPTY, BLACK, WHITE, BORDER, POINTS = 424 };
constexpr uint32_t ONE[4] = {1, 1 << 8, 1 << 16, (1 << 8) + (1 << 16)};   // the border counts as both colours
constexpr uint32_t ALL_OWN[3] = {0, 4 << 8, 4 << 16};
constexpr uint32_t OWN_MASK[3] = {0, 0xff << 8, 0xff << 16};

struct Board {
    int32_t size, width, ko, to_play, passes, n_empty;
    uint64_t random;
    uint32_t near[POINTS];                  // stones beside a point, by colour: ONE each
    int32_t count[POINTS], sum[POINTS];     // at a head: pseudo-liberties
    int64_t squares[POINTS];
    int16_t head[POINTS], next[POINTS], stones[POINTS], empties[POINTS], slot[POINTS];
    uint8_t colour[POINTS];

    void clear(int n) {
        *this = Board{};
        size = n, width = n + 1, to_play = BLACK;
        for (int p = 0; p < POINTS; p++) colour[p] = BORDER;
        for (int row = 1; row <= n; row++)
            for (int p = row * width + 1; p <= row * width + n; p++) {
                colour[p] = EMPTY;
                slot[p] = n_empty;
                empties[n_empty++] = p;
            }
        for (int row = 1; row <= n; row++)
            for (int p = row * width + 1; p <= row * width + n; p++)
                for (int d : {-width, -1, 1, width}) near[p] += ONE[colour[p + d]];
    }

    uint32_t below(uint32_t n) {            // xorshift64*
        random ^= random >> 12, random ^= random << 25, random ^= random >> 27;
        return ((random * 2685821657736338717ull >> 32) * n) >> 32;
    }

    bool in_atari(int h) const { return int64_t(count[h]) * squares[h] == int64_t(sum[h]) * sum[h]; }

    bool is_eye(int p, int c) const {
        if ((near[p] & OWN_MASK[c]) != ALL_OWN[c]) return false;
        int theirs = 0, edge = 0;
        for (int d : {-width - 1, -width + 1, width - 1, width + 1}) {
            theirs += colour[p + d] == 3 - c;
            edge |= colour[p + d] == BORDER;
        }
        return theirs + edge <= 1;
    }

    bool is_legal(int p, int c) const {
        if (p == ko) return false;
        if (near[p] & 0xff) return true;
        for (int d : {-width, -1, 1, width}) {
            int s = colour[p + d];
            if (s != BORDER && (s == c) != in_atari(head[p + d])) return true;
        }
        return false;
    }

    void merge(int h, int g) {
        count[h] += count[g], sum[h] += sum[g], squares[h] += squares[g], stones[h] += stones[g];
        int p = g;
        do head[p] = h, p = next[p]; while (p != g);
        int16_t t = next[h];
        next[h] = next[g], next[g] = t;
    }

    int remove(int h, int c) {
        int p = h;
        do {
            colour[p] = EMPTY;
            slot[p] = n_empty;
            empties[n_empty++] = p;
            for (int d : {-width, -1, 1, width}) {
                int q = p + d;
                near[q] += ONE[EMPTY] - ONE[c];
                int g = head[q];
                count[g]++, sum[g] += p, squares[g] += p * p;
            }
            p = next[p];
        } while (p != h);
        return stones[h];
    }

    void play(int p, int c) {
        bool surrounded = (near[p] & OWN_MASK[3 - c]) == ALL_OWN[3 - c];
        ko = -1;
        colour[p] = c;
        int last = empties[--n_empty];
        empties[slot[p]] = last, slot[last] = slot[p];
        head[p] = next[p] = p, stones[p] = 1;
        count[p] = sum[p] = squares[p] = 0;
        for (int d : {-width, -1, 1, width}) {
            int q = p + d;
            near[q] += ONE[c] - ONE[EMPTY];
            if (colour[q] == EMPTY) {
                count[p]++, sum[p] += q, squares[p] += q * q;
            } else {
                int g = head[q];
                count[g]--, sum[g] -= p, squares[g] -= p * p;
            }
        }
        int captured = 0, captured_at = 0;
        for (int d : {-width, -1, 1, width}) {
            int q = p + d;
            if (colour[q] == c) {
                int h = head[p], g = head[q];
                if (h != g) stones[h] < stones[g] ? merge(g, h) : merge(h, g);
            } else if (colour[q] == 3 - c && count[head[q]] == 0) {
                captured += remove(head[q], colour[q]);
                captured_at = q;
            }
        }
        if (captured == 1 && surrounded) ko = captured_at;
    }

    int random_move(int c) {
        for (int left = n_empty; left > 0; left--) {
            int i = below(left), p = empties[i];
            if (!is_eye(p, c) && is_legal(p, c)) return p;
            int last = empties[left - 1];
            empties[left - 1] = p, slot[p] = left - 1;
            empties[i] = last, slot[last] = i;
        }
        return 0;
    }

    int roll_out(int limit, int& score) {
        int moves = 0;
        while (passes < 2 && moves < limit) {
            int p = random_move(to_play);
            if (p) play(p, to_play), passes = 0;
            else ko = -1, passes++;
            to_play = 3 - to_play;
            moves++;
        }
        score = 0;
        for (int row = 1; row <= size; row++)
            for (int p = row * width + 1; p <= row * width + size; p++) {
                bool black = colour[p] == BLACK, white = colour[p] == WHITE;
                if (colour[p] == EMPTY)
                    black = (near[p] & OWN_MASK[BLACK]) == ALL_OWN[BLACK],
                    white = (near[p] & OWN_MASK[WHITE]) == ALL_OWN[WHITE];
                score += black - white;
            }
        return moves;
    }
};

}  // namespace

// n rollouts from the empty board; returns the number of moves.  Scores are Black minus White, without komi.
extern "C" int64_t roll_out_from_empty(int size, int n, uint64_t seed, int16_t* scores) {
    Board start, board;
    start.clear(size);
    int64_t moves = 0;
    for (int i = 0; i < n; i++) {
        board = start;
        board.random = (seed + i) * 0x9E3779B97F4A7C15ull;
        int score;
        moves += board.roll_out(3 * size * size + 100, score);
        scores[i] = score;
    }
    return moves;
}
