// Plays and analyzes with an engine by Sabaki's GTP controller: node drive.js PROGRAM ARGUMENT...
// Prints the replies as a line of JSON.  Needs `npm install @sabaki/gtp`, in a folder where node looks.
const {Controller, ControllerStateTracker, Command} = require('@sabaki/gtp')

async function main() {
  const [program, ...args] = process.argv.slice(2)
  const engine = new Controller(program, args)
  const tracker = new ControllerStateTracker(engine)
  const ask = async (line, listen) => (await engine.sendCommand(Command.fromString(line), listen))
  engine.start()

  const report = {}
  report.name = (await ask('name')).content
  report.commands = (await ask('list_commands')).content.split('\n')
  report.unknown = (await ask('frobnicate')).error
  await tracker.sync({
    komi: 6.5,
    boardsize: [5, 5],
    history: [
      {name: 'play', args: ['B', 'C3']},
      {name: 'play', args: ['W', 'C2']}
    ]
  })
  report.genmove = (await ask('genmove B')).content

  // Sabaki takes the first command that the engine lists, and stops the analysis by protocol_version.
  const first = names => names.find(name => report.commands.includes(name))
  report.analyzeCommand = first(['analyze', 'kata-analyze', 'lz-analyze'])
  report.genmoveCommand = first(['genmove_analyze', 'kata-genmove_analyze', 'lz-genmove_analyze'])
  const infos = []
  let stopped = null
  const analysis = ask(`${report.analyzeCommand} W 5`, ({line}) => {
    if (!line.startsWith('info ')) return
    infos.push(line)
    if (infos.length === 3) {
      stopped = Date.now()
      ask('protocol_version').then(response => (report.protocol = response.content))
    }
  })
  report.analysis = (await analysis).content.split('\n').length
  report.milliseconds = Date.now() - stopped
  report.winrate = infos[2].match(/winrate (\S+)/)[1]
  report.wholeNumber = null
  await ask('lz-analyze W 5', ({line}) => {
    if (!line.startsWith('info ') || report.wholeNumber != null) return
    report.wholeNumber = line.match(/winrate (\S+)/)[1]
    ask('protocol_version')
  })

  const last = []
  const played = await ask(`${report.genmoveCommand} W 10`, ({line}) => last.push(line))
  report.played = last.find(line => line.startsWith('play '))
  report.error = played.error
  await engine.stop()
  console.log(JSON.stringify(report))
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
