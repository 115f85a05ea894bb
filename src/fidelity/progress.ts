import { thousands } from '../render/words.ts';

/** Tells how far a long work has come. */
export type Progress = { readonly at: (done: number, changes: number) => void; readonly end: () => void };

type Stream = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

const BAR = 30;
const ON_TERMINAL_MS = 100;
const ELSEWHERE_MS = 5_000;

/** A bar that is drawn over itself on a terminal, elsewhere a line every few seconds. */
export function openProgress(stream: Stream, total: number, now: () => number): Progress {
  const tty = stream.isTTY === true;
  let last = now();
  const line = (done: number, changes: number): string => {
    const filled = total === 0 ? BAR : Math.min(BAR, Math.round((done / total) * BAR));
    const words = `${thousands(done)} of ${thousands(total)} commits, ${thousands(changes)} file changes`;
    return tty ? `\r[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${words}` : `${words}\n`;
  };
  return {
    at: (done, changes) => {
      if (now() - last < (tty ? ON_TERMINAL_MS : ELSEWHERE_MS)) return;
      last = now();
      stream.write(line(done, changes));
    },
    end: () => {
      if (tty) stream.write('\r\u{1b}[K');
    },
  };
}
