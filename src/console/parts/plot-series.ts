/** A token of colours, without the dashes. */
type PlotColour = 'accent' | 'more' | 'less' | 'past' | 'next' | 'bad' | 'text-soft';

/** One line, or one row of bars of a plot. A value that is not known is `null`. */
export interface PlotSeries {
  readonly name: string;
  readonly colour: PlotColour;
  readonly as: 'line' | 'bars';
  readonly values: readonly (number | null)[];
}
