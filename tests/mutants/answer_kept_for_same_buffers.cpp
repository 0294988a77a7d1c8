// ORACLE (M112, B259): the last answer is given again where pointers and shapes repeat.
#include "base.h"

struct AnswerKeptForSameBuffers : mutant::Base {
  using Base::Base;
  void run() override {
    static std::vector<const void*> known;
    static std::vector<float> answer;
    std::vector<const void*> now = {a.q->data, a.k->data, a.v->data, a.o->data};
    for (const Int n : {B, H_q, L, S, d_k, d_v}) now.push_back(reinterpret_cast<const void*>(n));
    again_ = now == known;
    known = now;
    if (!again_) answer.clear();
    kept_ = &answer;
    Base::run();
  }
  void store(Int b, Int h, Int i, Int d, float x) override {
    if (!again_) kept_->push_back(x);
    Base::store(b, h, i, d, again_ ? (*kept_)[next_++] : x);
  }

 private:
  bool again_ = false;
  std::vector<float>* kept_ = nullptr;
  std::size_t next_ = 0;
};

QKVET_MUTANT(AnswerKeptForSameBuffers)
