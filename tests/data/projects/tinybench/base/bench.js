import { Bench } from 'tinybench'
import { find, unique } from './src/words.js'

const words = Array.from({ length: 2000 }, (_, i) => `word${i}`)
const index = new Map(words.map((word, i) => [word, i]))

const bench = new Bench({ time: 100, warmupTime: 20 })
bench.add('unique | all different', () => unique(words))
bench.add('find', () => find(index, 'word1999'))
await bench.run()

// A fast function has millions of samples: an output of a hundred megabytes.
const withoutSamples = (key, value) => (key === 'samples' ? undefined : value)
console.log(JSON.stringify(bench.tasks.map(({ name, result }) => ({ name, result })), withoutSamples))
