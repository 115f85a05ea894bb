import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldChoice, readQuestionCall } from '../../../../src/core/agent/question-texts.ts';
import { readAnswer } from '../../../../src/core/commands/answer.ts';
import type { QuestionInput } from '../../../../src/core/state/question.ts';

const choiceText = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' });

const askable = (choices: readonly string[]): QuestionInput | null => {
  const reading = readQuestionCall({ prompt: 'p', input_type: 'choice', choices: [...choices] }, () => false);
  return reading.kind === 'question' ? reading.input : null;
};

/** 2 to 20 choices that can be asked. */
const choices = fc
  .uniqueArray(fc.oneof(choiceText, fc.integer({ min: 0, max: 25 }).map(String)), {
    minLength: 2,
    maxLength: 20,
    selector: foldChoice,
  })
  .filter((all) => askable(all) !== null);

describe('an answer to a choice (S116, seed property 4)', () => {
  it('by any words or number is an index within the choices with exactly its value, or no answer at all', () => {
    const words = fc.oneof(choiceText, fc.integer({ min: -3, max: 30 }).map(String));
    fc.assert(
      fc.property(choices, words, fc.integer({ min: 0, max: 999 }), (all, text, number) => {
        const input = { type: 'choice', choices: all } as const;
        for (const reading of [readAnswer(input, text), readAnswer(input, String(number))]) {
          if (reading === null) continue;
          const { answer } = reading;
          if (answer.kind !== 'choice') throw new Error(answer.kind);
          expect(answer.index).toBeGreaterThanOrEqual(0);
          expect(answer.index).toBeLessThan(all.length);
          expect(answer.value).toBe(all[answer.index]);
        }
      }),
    );
  });

  it('by the number of a choice is that choice, unless it is the text of another', () => {
    fc.assert(
      fc.property(choices, (all) => {
        for (const [index, value] of all.entries()) {
          const isText = all.some((choice, at) => at !== index && foldChoice(choice) === String(index + 1));
          const expected = isText ? null : { answer: { kind: 'choice', index, value }, note: null };
          expect(readAnswer({ type: 'choice', choices: all }, String(index + 1))).toEqual(expected);
        }
      }),
    );
  });

  it('by the text of a choice is that choice, unless it is the number of another', () => {
    fc.assert(
      fc.property(choices, (all) => {
        for (const [index, value] of all.entries()) {
          const reading = readAnswer({ type: 'choice', choices: all }, `  ${value.toUpperCase().toLowerCase()} `);
          if (reading !== null && foldChoice(value) === foldChoice(value.toUpperCase().toLowerCase()))
            expect(reading.answer).toEqual({ kind: 'choice', index, value });
        }
      }),
    );
  });
});

describe('an answer to other questions', () => {
  it('an approval takes no words at all, so that its answer is approve or reject (S115, seed property 3)', () => {
    const input = { type: 'approval', choices: ['Approve', 'Reject'] } as const;
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readAnswer(input, text)).toBeNull();
      }),
    );
  });

  it('a text takes every text but an empty one, and never as a rejection (S117, K22)', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('reject', 'r', '/reject')), (text) => {
        const reading = readAnswer({ type: 'text' }, text);
        if (reading !== null) expect(reading.answer).toEqual({ kind: 'text', value: text.trim() });
        else expect(text.trim()).toBe('');
      }),
    );
  });
});
