import { Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from 'prom-client';

interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Counts of one route and status. `buckets` are not cumulative here; they add up when they are read. */
interface Series {
  readonly buckets: Float64Array;
  sum: number;
  count: number;
}

/**
 * A histogram over route and status whose observation is a few additions. The library's own hashes its labels every time,
 * which measured a tenth of a whole request; here a route is looked up once, and labels are made when somebody reads.
 */
export class RequestHistogram extends Histogram<'route' | 'status'> {
  private readonly routes = new Map<string, Map<number, Series>>();
  private readonly bounds: readonly number[];
  private readonly title: { readonly name: string; readonly help: string };

  /** `bounds`: upper bounds of the buckets, seconds, ascending. */
  constructor(title: { readonly name: string; readonly help: string }, bounds: readonly number[], registry: Registry) {
    super({ ...title, labelNames: ['route', 'status'], buckets: [...bounds], registers: [registry] });
    this.title = title;
    this.bounds = bounds;
  }

  /** `route` is a pattern, never a path: paths would make endless series. */
  observeRequest(route: string, status: number, seconds: number): void {
    const series = this.seriesOf(route, status);
    series.sum += seconds;
    series.count += 1;
    let bucket = 0;
    for (const bound of this.bounds) {
      if (seconds <= bound) break;
      bucket += 1;
    }
    if (bucket < this.bounds.length) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  private seriesOf(route: string, status: number): Series {
    let statuses = this.routes.get(route);
    if (!statuses) {
      statuses = new Map();
      this.routes.set(route, statuses);
    }
    let series = statuses.get(status);
    if (!series) {
      series = { buckets: new Float64Array(this.bounds.length), sum: 0, count: 0 };
      statuses.set(status, series);
    }
    return series;
  }

  /** The same as JSON, which is what several processes' metrics are added up from. */
  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<'route' | 'status'>>> {
    // The library declares an enum and a `collect` that it neither has nor gives.
    return (await this.getForPromString()) as unknown as MetricObjectWithValues<MetricValueWithName<'route' | 'status'>>;
  }

  /** What the library's registry makes its output from; its types do not name it. */
  async getForPromString(): Promise<{ name: string; help: string; type: string; aggregator: string; values: Value[] }> {
    const values: Value[] = [];
    for (const [route, statuses] of this.routes) {
      for (const [status, series] of statuses) values.push(...this.valuesOf({ route, status: String(status) }, series));
    }
    return { ...this.title, type: 'histogram', aggregator: 'sum', values };
  }

  private valuesOf(labels: { readonly route: string; readonly status: string }, series: Series): Value[] {
    const { name } = this.title;
    let below = 0;
    const buckets = this.bounds.map((bound, index) => {
      below += series.buckets[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: below };
    });
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: series.count },
      { metricName: `${name}_sum`, labels, value: series.sum },
      { metricName: `${name}_count`, labels, value: series.count },
    ];
  }
}
