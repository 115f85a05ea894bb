import type { ScriptedCall } from '../../../fakes/model/script.ts';
import type { Stage } from './stage.ts';
import { edit, type Story } from './story.ts';

export const ROWS_PATH = 'src/rows.ts';

/** `const row07 = 7;`, and what stands for the value if it is given. */
export function row(n: number, value: string | number = n): string {
  return `const row${String(n).padStart(2, '0')} = ${value};`;
}

/** A file of 24 rows, some of them with other values, with lines above if given. */
export function rows(values: Readonly<Record<number, string | number>> = {}, above: readonly string[] = []): string {
  const lines = Array.from({ length: 24 }, (_, index) => row(index + 1, values[index + 1] ?? index + 1));
  return [...above, ...lines, ''].join('\n');
}

/** A call that gives one row another value. */
export function editRow(n: number, value: string | number): ScriptedCall {
  return edit(ROWS_PATH, row(n), row(n, value));
}

/** A pull request that adds the file of rows, so that every line of it can carry a suggestion. */
export function tellRows(stage: Stage): Promise<Story> {
  return stage.tell({ branch: { [ROWS_PATH]: rows() } });
}

/** The same, with one proposal for each row that gets a value, already on the page. */
export async function proposeRows(stage: Stage, values: Readonly<Record<number, string | number>>): Promise<Story> {
  const story = await tellRows(stage);
  story.model.proposes(...Object.entries(values).map(([n, value]) => editRow(Number(n), value)));
  await story.ana.says('/countersign give the rows other values');
  return story;
}
