import { printable } from '../../edges/terminal/printable.ts';
import { writeTable } from '../../edges/terminal/table.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { runningClient, type RunningOptions } from '../running.ts';

/** The most that administration lists at once. */
const listedStubsMax = 10_000;

interface ListOptions extends RunningOptions {
  readonly service?: string;
  readonly method?: string;
  readonly session?: string;
}

/** What the listing needs of a stub as administration shows it. */
interface ListedStub {
  readonly id: string;
  readonly service: string;
  readonly method: string;
  readonly priority?: number;
  readonly session?: string;
  readonly uses: number;
  readonly options?: { readonly times?: number };
  readonly sourceFile?: string;
  readonly sourceLine?: number;
  readonly source: string;
}

export async function listStubs(options: ListOptions, terminal: Terminal): Promise<void> {
  const { service, method, session } = options;
  const query = new URLSearchParams({
    limit: String(listedStubsMax),
    ...(service === undefined ? {} : { service }),
    ...(method === undefined ? {} : { method }),
  });
  const stubs = await runningClient(options, session).request<readonly ListedStub[]>(
    'GET',
    `/api/stubs?${query.toString()}`,
  );
  if (options.json === true) terminal.line(JSON.stringify(stubs));
  else if (stubs.length === 0) terminal.note('no stubs');
  else if (terminal.columns >= wideColumnsMin) writeTable(terminal, columns, stubs.map(row));
  else {
    writeNarrow(stubs, terminal);
    terminal.note('the ids are cut to fit; a wider terminal or --json has them whole');
  }
}

/** Narrower terminals have no room for whole ids and packages. */
const wideColumnsMin = 120;

const columns = [
  { title: 'ID' },
  { title: 'METHOD', shrinks: true },
  { title: 'PRIO', align: 'right' },
  { title: 'SESSION', shrinks: true },
  { title: 'USES', align: 'right' },
  { title: 'FROM', shrinks: true },
] as const;

/** Without a column for sessions where no stub has one. */
function writeNarrow(stubs: readonly ListedStub[], terminal: Terminal): void {
  const hasSessions = stubs.some(({ session = '' }) => session !== '');
  const shown = columns.flatMap(({ title }, at) => (title === 'SESSION' && !hasSessions ? [] : [at]));
  const pick = <Value>(values: readonly Value[]) => values.filter((_, at) => shown.includes(at));
  writeTable(
    terminal,
    pick(columns),
    stubs.map((stub) => pick(narrowRow(stub))),
  );
}

/** As many characters of an id as `log` shows, and the service without its package. */
function narrowRow(stub: ListedStub): readonly string[] {
  const service = stub.service.slice(stub.service.lastIndexOf('.') + 1);
  return row({ ...stub, id: stub.id.slice(0, 8), service });
}

function row(stub: ListedStub): readonly string[] {
  const times = stub.options?.times ?? 0;
  const file = stub.sourceFile;
  const place =
    file === undefined
      ? stub.source
      : [file, ...(stub.sourceLine === undefined ? [] : [stub.sourceLine])].join(':');
  return [
    stub.id,
    `${stub.service}/${stub.method}`,
    String(stub.priority ?? 0),
    stub.session ?? '',
    times === 0 ? String(stub.uses) : `${stub.uses} of ${times}`,
    place,
  ].map((cell) => printable(cell));
}
