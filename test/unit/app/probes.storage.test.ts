import { expect, it, vi } from 'vitest';
import { createLogger } from '../../../src/adapters/telemetry/log.ts';
import { createStorageCheck } from '../../../src/app/probes.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';

const FULL = Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' });

it('rejects while no delivery can be stored, with one line for it and one for its end (O17)', async () => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ level: 'info', format: 'json', secrets: [], stream });
  const rehearseReceive = vi.fn(async () => {});
  const check = createStorageCheck({ store: { rehearseReceive }, log, now: () => 1 });
  await Promise.all([check(), check()]);
  expect(rehearseReceive).toHaveBeenCalledTimes(1);
  rehearseReceive.mockRejectedValue(FULL);
  for (let times = 0; times < 3; times += 1) await expect(check()).rejects.toThrow(FULL);
  rehearseReceive.mockResolvedValue();
  await check();
  const messages = lines.map(parseJson).map((line) => (isRecord(line) ? line['msg'] : null));
  expect(messages).toEqual(['database cannot store', 'database can store again']);
});
