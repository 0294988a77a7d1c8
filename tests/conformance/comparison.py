"""Compares everything that a vector stores with our reference."""

import dataclasses

import numpy as np

import enclosures
import score_bounds
from attention_problem import bits, missing_fields, problem_of, split_heads

SCORES = "qk_matmul_output"


@dataclasses.dataclass(frozen=True)
class Compared:
    """What came of one vector. Shares are errors divided by their bounds; 1 is the limit."""

    vector: object
    error: str  # why no Problem could be posed; empty if one was
    missing: list  # attributes that a Problem has no field for
    output: bool  # every stored output is admitted, nothing was left open, both oracles agree
    output_share: float
    present: int  # present tensors that are equal bit for bit
    scores: bool
    score_share: float

    @property
    def mode(self):
        """Of the stored scores; None without them."""
        stored = SCORES in self.vector.outputs
        return self.vector.attributes.get("qk_matmul_output_mode", 0) if stored else None

    @property
    def holds(self):
        stored = sum(name.startswith("present") for name in self.vector.outputs)
        return not self.missing and self.output and self.present == stored and self.scores


def output_of(vector, problem):
    """Y as [B,H_q,L,d_v]."""
    return split_heads(vector.outputs["Y"], problem.q.shape[1])


def score_question(problem, mode, stored):
    """What to ask about stored scores: (problem, observed output). Mode 3: an output with V = I."""
    if mode == 3:
        return problem.with_identity_values(), stored
    if mode == 2:
        return problem, None
    unmasked = problem.unmasked()
    return (unmasked if mode == 1 else dataclasses.replace(unmasked, softcap=0.0)), None


def judge_scores(answer, problem, mode, stored):
    """(all stored scores lie within their bounds, the worst share of a bound)."""
    if "error" in answer:
        return False, float("inf")
    if mode == 3:
        return (enclosures.all_admitted(answer) and enclosures.decided(answer),
                enclosures.worst(answer))
    bounds = score_bounds.score_bounds(answer, problem, mode)
    good = answer["oracles_agree"] and all(score_bounds.inside(stored, bounds))
    return good, score_bounds.worst_share(stored, bounds)


def equal_present(vector, problem):
    """How many present tensors are exactly past and new ones, one after the other."""
    pairs = (("present_key", problem.k), ("present_value", problem.v))
    return sum(bits(vector.outputs[name]) == bits(ours) and vector.outputs[name].shape == ours.shape
               for name, ours in pairs if name in vector.outputs)


def compare(vectors, read=problem_of, contract=enclosures.CONTRACT):
    """One `Compared` for each vector; `read` makes its Problem (tests pass wrong readings)."""
    problems = [read(vector) for vector in vectors]
    outputs = [(p, output_of(v, p)) for v, p in zip(vectors, problems)]
    modes = [v.attributes.get("qk_matmul_output_mode", 0) for v in vectors]
    with_scores = [n for n, v in enumerate(vectors) if SCORES in v.outputs]
    questions = [score_question(problems[n], modes[n], vectors[n].outputs[SCORES])
                 for n in with_scores]
    answers = enclosures.ask(outputs + questions, contract)
    judged = {n: judge_scores(answer, question[0], modes[n], vectors[n].outputs[SCORES])
              for n, question, answer in zip(with_scores, questions, answers[len(vectors):])}
    return [summary(v, p, a, judged.get(n, (True, 0.0)))
            for n, (v, p, a) in enumerate(zip(vectors, problems, answers))]


def summary(vector, problem, answer, scores):
    error = answer.get("error", "")
    return Compared(
        vector=vector,
        error=error,
        missing=missing_fields(vector),
        output=not error and enclosures.all_admitted(answer) and enclosures.decided(answer),
        output_share=np.inf if error else enclosures.worst(answer),
        present=equal_present(vector, problem),
        scores=scores[0],
        score_share=scores[1],
    )
