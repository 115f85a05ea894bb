import { expect, it } from 'vitest';
import { createClockProbe, createProxyProbe, createRoomProbe } from '../../../src/app/machine-probes.ts';

const never = new AbortController().signal;

it.each([
  [{ diskMb: 90_000, memoryMb: 4_000 }, ['ok']],
  [{ diskMb: null, memoryMb: 4_000 }, ['ok']],
  [{ diskMb: 900, memoryMb: 4_000 }, ['less']],
  [{ diskMb: 90, memoryMb: 300 }, ['wrong', 'less']],
])('O4: a machine with %o of room is %o', async (room, levels) => {
  const findings = await createRoomProbe(() => room).run(never);
  expect(findings.map(({ level }) => level)).toEqual(levels);
});

it.each([
  [1_000_000, 1_029_000, 'ok', undefined],
  [1_000_000, 1_090_000, 'less', 90],
  [1_000_000, 910_000, 'less', -90],
  [null, 910_000, 'ok', undefined],
])('O4: GitHub’s clock at %s and ours at %s are %s', async (github, own, level, seconds) => {
  const [finding] = await createClockProbe({ fetchTime: async () => github, now: () => own }).run(never);
  expect(finding).toMatchObject(seconds === undefined ? { level } : { level, seconds });
});

it.each([
  [{}, []],
  [{ HTTPS_PROXY: 'http://proxy:3128' }, ['less']],
  [{ https_proxy: 'http://proxy:3128', NODE_USE_ENV_PROXY: '1' }, ['ok']],
])('O4: with the variables %o, a proxy is %o', async (environment, levels) => {
  const findings = await createProxyProbe(environment).run(never);
  expect(findings.map(({ level }) => level)).toEqual(levels);
});
