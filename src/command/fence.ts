/** A fence that is open: what closes it, and what its content is. */
export type Fence = {
  readonly character: '`' | '~';
  readonly length: number;
  /** Spaces before it; as many are taken from each line of its content. */
  readonly indent: number;
  /** The words behind the fence, trimmed. */
  readonly info: string;
};

const OPENING = /^( {0,3})(`{3,}|~{3,})(.*)$/s;
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;

/** The fence that a line opens, or null. Needs a line outside other code. */
export function openFence(line: string): Fence | null {
  const found = OPENING.exec(line);
  if (found === null) return null;
  const [, indent = '', marks = '', info = ''] = found;
  const character = marks.startsWith('~') ? '~' : '`';
  if (character === '`' && info.includes('`')) return null;
  return { character, length: marks.length, indent: indent.length, info: info.trim() };
}

/** Whether a line ends the open fence. */
export function closesFence(line: string, fence: Fence): boolean {
  const marks = CLOSING.exec(line)?.[1] ?? '';
  return marks.startsWith(fence.character) && marks.length >= fence.length;
}

/** A line of a fence's content as it is rendered: without the indentation that the fence has. */
export function contentLine(line: string, fence: Fence): string {
  let taken = 0;
  while (taken < fence.indent && line[taken] === ' ') taken += 1;
  return line.slice(taken);
}
