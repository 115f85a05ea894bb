import { describe, expect, it } from 'vitest';
import { readQuestionCall } from '../../../../src/core/agent/question-texts.ts';
import {
  alreadyRejectedOutput,
  deniedOutput,
  failedOutput,
  instructionOutput,
  notShowableOutput,
  overlapsPendingOutput,
  REVERTS_USER_EDIT_OUTPUT,
  retargetedOutput,
  staleOutput,
  TOO_MANY_CALLS_OUTPUT,
  tooManyPendingOutput,
  withdrawnOutput,
} from '../../../../src/core/agent/shared/tool-results.ts';
import { buildSystemPrompt } from '../../../../src/core/agent/system-prompt.ts';
import { buildHeldOutcomesMessage, heldOutput, touchesOtherCallOutput } from '../../../../src/core/agent/turn-texts.ts';
import { MAX_REASON_CHARACTERS } from '../../../../src/core/state/conversation.ts';
import { LIMITS } from '../../../../src/core/state/limits.ts';
import { DEFAULT_SETTINGS } from '../../../../src/core/state/settings.ts';
import {
  MAX_CALLS_PER_RESPONSE,
  MAX_FILE_HITS,
  MAX_READ_BYTES,
  MAX_READ_LINES,
  PLAN_STEPS,
  QUESTION_LIMITS,
  readToolName,
  TOOL_NAMES,
  TOOLS,
  toolDefinitions,
} from '../../../../src/core/state/tools.ts';
import { REDACTED } from '../../../../src/lib/credentials.ts';

const SYSTEM_PROMPT = buildSystemPrompt(DEFAULT_SETTINGS.limits);

const QUESTION = { prompt: 'Go on?', input_type: null, choices: null };

const ANA = { id: 1, login: 'ana' };

/** The results without JSON that a call can get in place of the wanted one. */
const OUTCOMES: readonly string[] = [
  instructionOutput('use another name'),
  deniedOutput({ by: ANA, permission: 'write', text: null }),
  staleOutput('a.ts', '1'.repeat(40), '2'.repeat(40)),
  alreadyRejectedOutput('ana'),
  overlapsPendingOutput('a.ts'),
  notShowableOutput('a.ts'),
  TOO_MANY_CALLS_OUTPUT,
  failedOutput('GitHub refused it'),
  tooManyPendingOutput(50),
  retargetedOutput('main', 'next'),
  REVERTS_USER_EDIT_OUTPUT,
  withdrawnOutput('Ana went on without one.'),
  heldOutput({ hasReadings: true, hasFaults: false }),
  touchesOtherCallOutput('a.ts'),
  buildHeldOutcomesMessage([]).content ?? '',
];

/** The beginnings of results that the prompt explains. */
function explainedBeginnings(): readonly string[] {
  const section = SYSTEM_PROMPT.split('What results mean\n')[1]?.split('\n\n')[0] ?? '';
  const quoted = [...section.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text.replace(/ ?…$/, ''));
  return quoted.filter((text) => /^[A-Z[]/.test(text));
}

describe('the system prompt', () => {
  it('explains approvals, instructions and denials in less than 4 kB (T1, T4)', () => {
    expect(SYSTEM_PROMPT).toContain('exactly what they approve is committed');
    expect(SYSTEM_PROMPT).toContain(`"${REDACTED}" stands for a secret`);
    expect(Buffer.byteLength(SYSTEM_PROMPT)).toBeLessThan(4_096);
  });

  it('says what becomes of proposals beside readings, and how to answer a question (S149, S159)', () => {
    expect(SYSTEM_PROMPT).toContain('Beside readings, proposals are held until your next response.');
    expect(SYSTEM_PROMPT).toContain('Answer a question in Markdown, as long as it needs, with places as path:line.');
  });

  it('names every tool, and no tool that does not exist (S175)', () => {
    for (const name of TOOL_NAMES) expect(SYSTEM_PROMPT).toContain(name);
    const nameLike = SYSTEM_PROMPT.match(/\b[a-z]+_[a-z_]+\b/g) ?? [];
    const inputNames = new Set(Object.values(TOOLS).flatMap(({ schema }) => Object.keys(schema.shape)));
    expect(nameLike.filter((name) => readToolName(name) === null && !inputNames.has(name))).toEqual(['user_note']);
  });

  it('states the limits that hold (S175)', () => {
    const { turns, proposalsPerTurn } = DEFAULT_SETTINGS.limits;
    const { responsesAlone } = LIMITS;
    expect(SYSTEM_PROMPT).toContain(
      `after ${turns} responses without a proposal since a person last wrote, or ${responsesAlone} since`,
    );
    expect(SYSTEM_PROMPT).toContain(`at most ${MAX_CALLS_PER_RESPONSE} calls`);
    expect(SYSTEM_PROMPT).toContain(`${MAX_REASON_CHARACTERS} characters are shown`);
    const limits = [turns, responsesAlone, proposalsPerTurn, MAX_CALLS_PER_RESPONSE, MAX_REASON_CHARACTERS];
    expect((SYSTEM_PROMPT.match(/\d+/g) ?? []).map(Number).filter((number) => !limits.includes(number))).toEqual([]);
  });

  it('states the limits of its run (S171, S175)', () => {
    const prompt = buildSystemPrompt({ turns: 12, proposalsPerTurn: 3 });
    expect(prompt).toContain('At most 3 proposals can wait at once.');
    expect(prompt).toContain('after 12 responses without a proposal since a person last wrote, or 12 since');
    expect(buildSystemPrompt({ turns: 90, proposalsPerTurn: 3 })).toContain('after 90 responses');
    expect(buildSystemPrompt({ turns: 90, proposalsPerTurn: 3 })).toContain('or 40 since');
  });

  it('explains only results that the product gives (S175)', () => {
    expect(explainedBeginnings().length).toBeGreaterThan(8);
    for (const beginning of explainedBeginnings())
      expect(
        OUTCOMES.filter((output) => output.startsWith(beginning)),
        beginning,
      ).not.toEqual([]);
  });

  it.each(OUTCOMES)('explains the result “%s” (S175)', (output) => {
    expect(explainedBeginnings().filter((beginning) => output.startsWith(beginning))).not.toEqual([]);
  });
});

describe('the descriptions of the tools', () => {
  const described = (name: string): string =>
    JSON.stringify(toolDefinitions().find((definition) => definition.name === name) ?? {});

  it('state the limits that hold (S175)', () => {
    expect(described('read_file')).toContain(`at most ${MAX_READ_LINES} lines or ${MAX_READ_BYTES / 1000} kB`);
    expect(described('search')).toContain(`at most ${MAX_FILE_HITS} lines of a file`);
    expect(described('ask_user')).toContain(`1 to ${QUESTION_LIMITS.choices} for a choice`);
    expect(described('edit_file')).toContain(`${MAX_REASON_CHARACTERS} characters are shown`);
    expect(described('plan')).toContain(`"minItems":${PLAN_STEPS.min},"maxItems":${PLAN_STEPS.max}`);
  });

  it('say of exactly the changing tools that nothing changes until a person approves (S175)', () => {
    for (const name of TOOL_NAMES)
      expect(TOOLS[name].description.includes('Nothing changes until a person approves.'), name).toBe(
        TOOLS[name].kind === 'gated',
      );
  });

  it('name only tools and arguments that exist, and describe every argument (S175)', () => {
    const argumentNames = new Set(Object.values(TOOLS).flatMap(({ schema }) => Object.keys(schema.shape)));
    for (const name of TOOL_NAMES) {
      const mentioned = TOOLS[name].description.match(/\b[a-z]+_[a-z_]+\b/g) ?? [];
      expect(mentioned.filter((word) => readToolName(word) === null && !argumentNames.has(word))).toEqual([]);
      for (const [key, field] of Object.entries(TOOLS[name].schema.shape))
        expect(JSON.stringify(field.toJSONSchema({ io: 'input' })), `${name}.${key}`).toContain('"description":');
    }
  });

  it('say which label of an approval approves, and that a choice takes no other text (S115, S116, S118)', () => {
    expect(readQuestionCall({ ...QUESTION, input_type: 'approval', choices: ['Go', 'No'] }, () => false)).toMatchObject(
      {
        input: { choices: ['Go', 'No'] },
      },
    );
    expect(described('ask_user')).toContain('the first approves, the second rejects');
    expect(described('ask_user')).toContain('choice: one of choices, no other text');
  });
});
