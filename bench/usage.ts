import { readFileSync } from 'node:fs';

/** What a process has used of the machine so far: time of processors (ms), and the memory it holds now (bytes). */
export type Usage = { readonly cpuMs: number; readonly resident: number };

const TICKS_A_SECOND = 100;

/** From Linux's /proc; throws on any other system. */
export function usageOf(pid: number | null | undefined): Usage {
  // The program's name stands in brackets and may hold anything.
  const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { cpuMs: (((user ?? 0) + (system ?? 0)) * 1000) / TICKS_A_SECOND, resident: Number(kilobytes) * 1024 };
}
