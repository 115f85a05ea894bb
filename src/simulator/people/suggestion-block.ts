/**
 * The lines inside the first suggestion block of a comment, or undefined when it has none.
 * A block is a backtick or tilde fence of three or more whose info string is exactly
 * `suggestion`; a fence inside another fence is text. No lines is a block that deletes.
 * Bodies typed in a browser carry CRLF: their CR is no part of a line.
 */
export function suggestionLines(body: string): readonly string[] | undefined {
  let open: Fence | undefined;
  let lines: string[] = [];
  for (const line of body.replaceAll('\r\n', '\n').split('\n')) {
    if (open === undefined) {
      open = openingFence(line);
      lines = [];
    } else if (closes(open, line)) {
      if (open.info === 'suggestion') return lines;
      open = undefined;
    } else {
      lines.push(withoutIndent(line, open.indent));
    }
  }
  return open?.info === 'suggestion' ? lines : undefined;
}

type Fence = { readonly mark: string; readonly length: number; readonly indent: number; readonly info: string };

function openingFence(line: string): Fence | undefined {
  const match = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(line);
  const [indent = '', marks = '', rest = ''] = match?.slice(1) ?? [];
  const mark = marks.charAt(0);
  if (match === null || (mark === '`' && rest.includes('`'))) return undefined;
  return { mark, length: marks.length, indent: indent.length, info: rest.trim() };
}

function closes({ mark, length }: Fence, line: string): boolean {
  const match = /^ {0,3}(`+|~+)[ \t]*$/.exec(line);
  const marks = match?.[1] ?? '';
  return marks.startsWith(mark) && marks.length >= length;
}

/** Markdown takes away as much indentation as the opening fence has. */
function withoutIndent(line: string, indent: number): string {
  let start = 0;
  while (start < indent && line.charAt(start) === ' ') start += 1;
  return line.slice(start);
}
