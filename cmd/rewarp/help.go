package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// usageTemplate is cobra's, but a command that runs by itself has one line of
// usage, also where others stand below it.
func usageTemplate(root *cobra.Command) string {
	return strings.Replace(root.UsageTemplate(), "{{if .HasAvailableSubCommands}}\n  {{.CommandPath}} [command]",
		"{{if and .HasAvailableSubCommands (not .Runnable)}}\n  {{.CommandPath}} [command]", 1)
}

// completionCommand adds cobra's completion command, which is to refuse what is
// no shell.
func completionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd, _, err := root.Find([]string{"completion"})
	if err != nil {
		return // cobra leaves it out where a program has no other command
	}
	var shells []string
	for _, c := range cmd.Commands() {
		shells = append(shells, c.Name())
	}
	all := strings.Join(shells, ", ")
	cmd.Use, cmd.Short = "completion SHELL", "Print the completion script of a shell"
	cmd.Long = "completion prints what makes a shell complete rewarp's commands and flags. rewarp completion SHELL --help says how to\nuse it."
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef(cmd, "missing SHELL: one of %s", all)
		}
		return usagef(cmd, "SHELL %q: expected one of %s%s", args[0], all, didYouMean(args[0], shells))
	}
}

// helpCommand adds cobra's help command, which is to refuse what is no command.
func helpCommand(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	cmd, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	cmd.Use, cmd.Short, cmd.Long = "help [COMMAND]", "Show the help of a command", "help shows what --help shows of a command."
	cmd.Run = nil
	cmd.RunE = func(help *cobra.Command, args []string) error {
		c, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return usagef(help, "unknown command %q%s", strings.Join(args, " "), didYouMean(args[len(args)-1], commandNames(help)))
		}
		c.InitDefaultHelpFlag()
		return c.Help()
	}
}
