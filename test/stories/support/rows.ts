import type { ScriptedCall } from '../../../fakes/model/script.ts';
import type { Stage } from './stage.ts';
import { edit, type Story } from './story.ts';

export const ROWS_PATH = 'src/rows.ts';

/** `const row07 = 7;`, or with another value. */
export function row(n: number, value: string | number = n): string {
  return `const row${String(n).padStart(2, '0')} = ${value};`;
}

/** A file of 24 rows with these values, below these lines. */
export function rows(values: Readonly<Record<number, string | number>> = {}, above: readonly string[] = []): string {
  const lines = Array.from({ length: 24 }, (_, index) => row(index + 1, values[index + 1] ?? index + 1));
  return [...above, ...lines, ''].join('\n');
}

/** An `edit_file` call that changes the value of one row. */
export function editRow(n: number, value: string | number): ScriptedCall {
  return edit(ROWS_PATH, row(n), row(n, value));
}

/** A pull request that adds the file of rows, so that every line can have a suggestion. */
export function tellRows(stage: Stage): Promise<Story> {
  return stage.tell({ branch: { [ROWS_PATH]: rows() } });
}

/** A pull request with the file of rows, and one pending proposal per value. */
export async function proposeRows(stage: Stage, values: Readonly<Record<number, string | number>>): Promise<Story> {
  const story = await tellRows(stage);
  story.model.proposes(...Object.entries(values).map(([n, value]) => editRow(Number(n), value)));
  await story.ana.says('/countersign give the rows other values');
  return story;
}
