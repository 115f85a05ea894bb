import { stripVTControlCharacters, styleText } from 'node:util';
import { visible } from '../render/visible.ts';

type Format = Parameters<typeof styleText>[0];

/** Where the demo writes: whole lines, in colour or not. */
export type Terminal = {
  readonly line: (text?: string) => void;
  readonly paint: (format: Format, text: string) => string;
};

/** A terminal on a stream of text; `colour` is decided by whoever opens it. */
export function openTerminal(write: (text: string) => void, colour: boolean): Terminal {
  return {
    line: (text = '') => write(`${text}\n`),
    paint: (format, text) => (colour ? styleText(format, text, { validateStream: false }) : text),
  };
}

/** Whether a stream is to be written to in colour: a terminal that has some, unless NO_COLOR or FORCE_COLOR say otherwise. */
export function wantsColour(stream: NodeJS.WriteStream): boolean {
  return styleText('red', 'x', { stream }) !== 'x';
}

/** Somebody else's text on one line, with nothing in it that a terminal would obey. */
export function harmless(text: string): string {
  return visible(text.replaceAll(/[\n\r]/g, ' '));
}

/** Breaks a painted text between words, into lines of at most `width` columns where that is possible. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && stripVTControlCharacters(longer).length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
