import { Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from 'prom-client';

interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Counts of one pair of labels. `buckets` are not cumulative here; they add up when they are read. */
interface Series {
  readonly buckets: Float64Array;
  sum: number;
  count: number;
}

/**
 * A histogram over two labels whose observation is a few additions. The library's own hashes its labels every time,
 * which measured a tenth of a whole request; here a pair is looked up once, and labels are made when somebody reads.
 */
export class TimingHistogram<First extends string, Second extends string> extends Histogram<First | Second> {
  private readonly firsts = new Map<string, Map<string | number, Series>>();
  private readonly names: readonly [First, Second];
  private readonly bounds: readonly number[];
  private readonly title: { readonly name: string; readonly help: string };

  /** `names`: of the labels. `bounds`: upper bounds of the buckets, seconds, ascending. */
  constructor(
    title: { readonly name: string; readonly help: string },
    names: readonly [First, Second],
    bounds: readonly number[],
    registry: Registry,
  ) {
    super({ ...title, labelNames: names, buckets: [...bounds], registers: [registry] });
    this.names = names;
    this.title = title;
    this.bounds = bounds;
  }

  /** Both values are of a bounded set: each pair makes a series for good. */
  observePair(first: string, second: string | number, seconds: number): void {
    const series = this.seriesOf(first, second);
    series.sum += seconds;
    series.count += 1;
    let bucket = 0;
    for (const bound of this.bounds) {
      if (seconds <= bound) break;
      bucket += 1;
    }
    if (bucket < this.bounds.length) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  private seriesOf(first: string, second: string | number): Series {
    let seconds = this.firsts.get(first);
    if (!seconds) {
      seconds = new Map();
      this.firsts.set(first, seconds);
    }
    let series = seconds.get(second);
    if (!series) {
      series = { buckets: new Float64Array(this.bounds.length), sum: 0, count: 0 };
      seconds.set(second, series);
    }
    return series;
  }

  /** The same as JSON, which is what several processes' metrics are added up from. */
  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<First | Second>>> {
    // The library declares an enum and a `collect` that it neither has nor gives.
    return (await this.getForPromString()) as unknown as MetricObjectWithValues<MetricValueWithName<First | Second>>;
  }

  /** What the library's registry makes its output from; its types do not name it. */
  async getForPromString(): Promise<{ name: string; help: string; type: string; aggregator: string; values: Value[] }> {
    const values: Value[] = [];
    const [one, other] = this.names;
    for (const [first, seconds] of this.firsts) {
      for (const [second, series] of seconds) values.push(...this.valuesOf({ [one]: first, [other]: String(second) }, series));
    }
    return { ...this.title, type: 'histogram', aggregator: 'sum', values };
  }

  private valuesOf(labels: Readonly<Record<string, string>>, series: Series): Value[] {
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
