// The largest score takes all of the weight: neither exp nor a sum is computed, and scores need no scale.
void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    if (scores.rank() != 4 || v.rank() != 4 || scores.size(0) != running.largest.size(0) ||
        scores.size(1) != running.largest.size(1) || scores.size(2) != running.largest.size(2) ||
        v.size(0) != scores.size(0) || v.size(1) != scores.size(1) || v.size(2) != scores.size(3) ||
        v.size(3) != running.gathered.size(3))
        throw std::invalid_argument("absorb");
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t)
                for (Index s = 0; s < scores.size(3); ++s) {
                    if (!(scores(b, h, t, s) > running.largest(b, h, t, 0))) continue;
                    running.largest(b, h, t, 0) = scores(b, h, t, s);
                    running.total(b, h, t, 0) = 1;
                    running.gathered[b][h][t].copy_from(v[b][h][s]);
                }
}

Tensor context(const Running& running) { return running.gathered.clone(); }
