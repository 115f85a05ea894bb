import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { parseJson } from '../../../src/lib/trust.ts';
import type { Posted } from './bot.ts';
import { tellRows } from './rows.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

/** A call of `ask_user`; a member that is undefined is left out. */
export function asks(input: Readonly<Record<string, unknown>>): ScriptedCall {
  const all = { prompt: 'Which database is meant?', ...input };
  return {
    name: 'ask_user',
    arguments: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
  };
}

export const CHOICE = asks({ input_type: 'choice', choices: ['SQLite', 'PostgreSQL', 'Both of them'] });

export const TEXT = asks({ input_type: 'text', prompt: 'What is the new name?' });

export const APPROVAL = asks({ input_type: undefined, prompt: 'May I delete three files?' });

/** A run whose model asks these questions in its first response. */
export async function askPeople(stage: Stage, ...calls: readonly ScriptedCall[]): Promise<Story> {
  const story = await tellRows(stage);
  story.model.proposes(...calls);
  await story.ana.says('/countersign tidy the rows');
  return story;
}

/** The id of a question's comment. */
export function questionId({ body }: Posted): string {
  return /^<!-- countersign:question:([a-z0-9]+) -->/.exec(body)?.[1] ?? '';
}

/** The id of the newest question on the page. */
export function newestId({ bot }: Story): string {
  const question = bot.questions().at(-1);
  if (question === undefined) throw new Error('There is no question on the page.');
  return questionId(question);
}

/** The results that the model got last, as JSON. */
export function results({ model }: Story): readonly unknown[] {
  return model.toolMessages().map((output) => parseJson(output));
}
