import { useEffect, useState } from 'react';
import { zoneName } from '../words/time.ts';

let known = '';

/** The time zone of the reader. The browser takes as long to tell it first as half a page to be drawn: it comes once that stands. */
export function Zone() {
  const [name, setName] = useState(known);
  useEffect(() => {
    if (known !== '') return;
    const timer = setTimeout(() => {
      known = zoneName();
      setName(known);
    });
    return () => clearTimeout(timer);
  }, []);
  return name;
}
