import type { ScriptEntry, ScriptedCall, ScriptedTurn } from '../../../fakes/model/script.ts';

/** The text of a file: the template without its first line break and without the common indentation. */
export function text(strings: TemplateStringsArray): string {
  const lines = (strings.raw[0] ?? '').replace(/^\n/, '').replace(/\n *$/, '\n').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const indent = Math.min(...indents);
  return lines.map((line) => line.slice(indent)).join('\n');
}

/** A file of tests for `node --test`: the template, below the imports of what every test needs. */
export function nodeTest(strings: TemplateStringsArray): string {
  return `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n${text(strings)}`;
}

/** The `package.json` of a repository whose tests run with `node --test`. */
export function nodePackage(name: string, more: Readonly<Record<string, unknown>> = {}): string {
  const content = { name, version: '1.4.2', type: 'module', scripts: { test: 'node --test' }, ...more };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** A response that reads these files. */
export function reads(...paths: readonly string[]): ScriptedTurn {
  return calls(...paths.map((path) => ({ name: 'read_file', arguments: { path } })));
}

export function calls(...all: readonly ScriptedCall[]): ScriptedTurn {
  return { calls: all };
}

/** A response whose calls name the open threads at these places, by the ids in the first request. */
export function answering(...changes: readonly (readonly [place: string, call: ScriptedCall])[]): ScriptEntry {
  return ({ messages }) => {
    const rows = messages.find(({ role }) => role === 'user')?.content?.split('\n') ?? [];
    const idAt = (place: string): number =>
      Number(/^Thread (\d+) /.exec(rows.find((row) => row.includes(` (open) on ${place}`)) ?? '')?.[1]);
    return calls(
      ...changes.map(([place, { name, arguments: written }]) => ({
        name,
        arguments: { ...(typeof written === 'string' ? {} : written), answers: idAt(place) },
      })),
    );
  };
}

/** A response without calls, which ends the run. */
export function says(content: string): ScriptedTurn {
  return { content };
}

export function edit(path: string, oldString: string, newString: string): ScriptedCall {
  return { name: 'edit_file', arguments: { path, old_string: oldString, new_string: newString } };
}

/** Several replacements in one file, as one proposal. */
export function edits(path: string, ...pairs: readonly (readonly [string, string])[]): ScriptedCall {
  const all = pairs.map(([oldString, newString]) => ({ old_string: oldString, new_string: newString }));
  return { name: 'edit_file', arguments: { path, edits: all } };
}

export function write(path: string, content: string): ScriptedCall {
  return { name: 'write_file', arguments: { path, content } };
}

export function remove(path: string): ScriptedCall {
  return { name: 'delete_file', arguments: { path } };
}

export function move(from: string, to: string): ScriptedCall {
  return { name: 'move_file', arguments: { from, to } };
}

export function asks(prompt: string, more: Readonly<Record<string, unknown>>): ScriptedCall {
  return { name: 'ask_user', arguments: { prompt, ...more } };
}
