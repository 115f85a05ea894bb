import { connect } from 'node:net';
import { createRandom } from '../simulation/world/random.ts';
import { createHostileRequest, type HostileRequest } from './hostile-requests.ts';
import { type NamedDatabase, sendReplies } from './intake.ts';
import { createLoadSetup, createMemoryProbe, type LoadFinding, readProcessUsage, startReady } from './load-setup.ts';

const CONNECTIONS = 32;

const MAX_GROWTH_MB = 60;

const MEGABYTE = 1024 * 1024;

/** Valid deliveries that the App has to accept afterwards. */
const DELIVERIES_AFTERWARDS = 200;

/** The first requests compile code and fill caches. */
const WARM_UP_REQUESTS = 2_000;

/** Sends hostile requests, and then measures whether the process is alive, has grown, and still accepts deliveries. */
export async function measureFlood([name, open]: NamedDatabase, requests: number): Promise<readonly LoadFinding[]> {
  const setup = await createLoadSetup(open);
  try {
    const memoryProbe = await createMemoryProbe();
    const appProcess = setup.createProcess(memoryProbe.environment);
    await startReady(appProcess);
    const url = appProcess.url() ?? '';
    const { webhookSecret } = setup.site.github.app;
    await flood(url, webhookSecret, WARM_UP_REQUESTS, 0);
    const before = await memoryProbe.bytesInUse();
    const startedAt = performance.now();
    const answers = await flood(url, webhookSecret, requests, 1);
    const seconds = (performance.now() - startedAt) / 1000;
    const label = `${name}: ${requests.toLocaleString('en')} hostile requests`;
    const exits = appProcess.unexpectedExits;
    const failures = [...answers].filter(([answer]) => answer.startsWith('5')).length + exits.length;
    const shown = [...answers].toSorted(([left], [right]) => (left < right ? -1 : 1)).map((entry) => entry.join(': '));
    const fate = {
      label,
      measured: `${Math.round(requests / seconds)} per second; answers ${shown.join(', ')}${exits.map((exit) => `; ${exit}`).join('')}`,
      goal: 'the process lives, and no answer is a server error',
      isMet: failures === 0,
    };
    if (exits.length > 0) return [fate];
    const grownMb = ((await memoryProbe.bytesInUse()) - before) / MEGABYTE;
    const residentMb = readProcessUsage(appProcess.pid()).residentBytes / MEGABYTE;
    const { refused } = await sendReplies(url, webhookSecret, DELIVERIES_AFTERWARDS);
    return [
      fate,
      {
        label: `${label}, memory`,
        measured: `${grownMb.toFixed(1)} MB more in use (resident ${residentMb.toFixed(0)} MB)`,
        goal: `under ${MAX_GROWTH_MB} MB more`,
        isMet: grownMb < MAX_GROWTH_MB,
      },
      {
        label: `${label}, and then ${DELIVERIES_AFTERWARDS} deliveries`,
        measured: `${refused} refused`,
        goal: 'none refused',
        isMet: refused === 0,
      },
    ];
  } finally {
    await setup.close();
  }
}

/** Sends the requests on connections of their own. Returns the number of each answer. */
async function flood(url: string, secret: string, count: number, seed: number): Promise<ReadonlyMap<string, number>> {
  const random = createRandom(seed);
  const answers = new Map<string, number>();
  let left = count;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const answer = await sendBytes(url, createHostileRequest(random, secret));
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return answers;
}

/** How long the client waits before it hangs up, in ms: a request that is incomplete gets no answer. */
const PATIENCE_MS = { complete: 20_000, incomplete: 15 };

/** Resolves with the status of the answer, or with `none`. */
function sendBytes(url: string, { bytes, isComplete }: HostileRequest): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const hangUp = (answer: string): void => {
    resolve(answer);
    // A reset leaves no port behind that waits, so that a hundred thousand connections are possible.
    socket.resetAndDestroy();
  };
  socket.once('connect', () => socket.write(bytes));
  socket.once('data', (received) => hangUp(/^HTTP\/1\.1 (\d{3})/.exec(received.toString('latin1'))?.[1] ?? 'none'));
  socket.once('error', () => hangUp('none'));
  socket.once('close', () => resolve('none'));
  socket.setTimeout(isComplete ? PATIENCE_MS.complete : PATIENCE_MS.incomplete, () =>
    hangUp(isComplete ? 'timeout' : 'none'),
  );
  return promise;
}
