"""What a training step reads: windows of the texts, and a share of made rows in which something is repeated.

The made rows teach copying (induction heads). Half of them repeat random tokens, half a piece of the texts. The loss
counts only from the second copy on: the first cannot be predicted (random) or is learnt from the plain windows."""
import numpy as np


class Batches:
    def __init__(self, ids, vocab_size, options):
        """ids: one array of all training tokens, documents separated by <|endoftext|>"""
        self.ids, self.vocab_size = ids, vocab_size
        self.rows, self.width, self.made_share = options.batch, options.context + 1, options.made_share

    def batch(self, seed, step):
        """(tokens [rows][context + 1], counts [rows][context]): the same for the same seed and step."""
        random = np.random.default_rng([seed, step])
        tokens = np.empty((self.rows, self.width), np.int64)
        counts = np.ones((self.rows, self.width - 1), np.float32)
        for row in range(self.rows):
            tokens[row] = self.window(random, self.width)
            if random.random() < self.made_share:
                length = int(random.integers(4, self.width // 2))
                piece = random.integers(1, self.vocab_size, length) if random.random() < 0.5 else tokens[row, :length]
                tokens[row] = np.resize(piece, self.width)
                counts[row, :length] = 0             # position i predicts token i + 1: the first copied one is at `length`
        return tokens, counts

    def window(self, random, width):
        start = random.integers(0, len(self.ids) - width + 1)
        return self.ids[start:start + width]
